#include "explore/cover_memo.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <set>

#include "explore/schedules.h"
#include "report/frames.h"

namespace jostle::explore {
namespace {

// "2026-01-31T12:00:00.000Z"
std::string now_text() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  char text[40], milliseconds[8];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
  std::snprintf(milliseconds, sizeof milliseconds, ".%03dZ",
                static_cast<int>(now.tv_nsec / 1000000 % 1000));
  return std::string(text) + milliseconds;
}

}  // namespace

bool CoverMemo::open(Result& result) {
  const Options& o = session_.options;
  // Not kept open: a program that shares memory with others cannot be put back to what it was.
  if (o.memo != "none") path_ = o.memo.empty() ? o.output + "/memo.db" : o.memo;
  run_.id = memo::unique_id();
  run_.build = build_id();
  run_.program = std::string(report::base_name(program_path()));
  if (!session_.whole_program()) run_.program += ":" + session_.name;
  if (session_.whole_program())
    for (const std::string& a : program_arguments())
      run_.input += (run_.input.empty() ? "" : " ") + a;
  run_.started = now_text();
  // A memo is made if there is none; one to compare with has to be there.
  if (kept() && !read(result, path_, true, "", before_)) return false;
  if (kept() && o.retry == Options::Retry::rebuilt &&
      !read(result, path_, false, run_.build.empty() ? "?" : run_.build, tried_))
    return false;
  return o.against.empty() || read(result, o.against, false, "", against_);
}

bool CoverMemo::read(Result& result, const std::string& name, bool create, const std::string& build,
                     Items& out) {
  auto d = memo::Database::open(name, create);
  using Detail = memo::Database::Detail;
  const Detail detail = &out == &against_ ? Detail::all : Detail::brief;
  auto items = d ? d->items(run_.program, build, detail) : Error{d.error()};
  if (create && items)
    if (auto runs = d->runs(run_.program); runs && !runs->empty()) last_run_ = runs->back().started;
  if (!items) result.error = items.error();
  if (items) out = std::move(*items);
  return result.error.empty();
}

CoverMemo::Said CoverMemo::said(const std::string& id) const {
  Said s;
  const auto b = before_.find(id);
  if (b == before_.end()) return s;
  s.remembered = true;
  s.known = b->second.exposed;
  s.tried = &b->second;
  if (session_.options.retry != Options::Retry::never) {
    const auto t = tried_.find(id);
    s.tried = t == tried_.end() ? nullptr : &t->second;
    s.again = !s.tried || !s.tried->exposed;
  }
  return s;
}

std::string CoverMemo::remember(const memo::Run& about, const std::vector<memo::Item>& items) {
  run_.executions = about.executions;
  run_.seconds = about.seconds;
  run_.exposed = about.exposed;
  run_.fresh = about.fresh;
  auto d = memo::Database::open(path_, true);
  if (!d) return keep(d.error(), items);
  auto ok = d->store(run_, items);
  return ok ? "" : keep(ok.error(), items);
}

// A server that has gone away must not cost what was learned.
std::string CoverMemo::keep(const std::string& why, const std::vector<memo::Item>& items) {
  if (!memo::is_url(path_)) return why;
  const std::string file = session_.options.output + "/memo.db";
  auto d = memo::Database::open(file, true);
  if (!d || !d->store(run_, items)) return why;
  return why + "; kept in " + file + ": jostle db merge --memo '" + memo::shown(path_) + "' " +
         file;
}

void CoverMemo::rank(Coverage& c) const {
  Items left;
  for (const CoverageItem& i : c.items) {
    if (!i.predicted || i.exposed || i.known) continue;
    memo::Item& m = left[i.id];
    if (const auto b = before_.find(i.id); b != before_.end()) m = b->second;
    if (m.first.empty()) m.first = run_.started;
    m.id = i.id;
    m.metric = i.metric;
    m.predicted = true;
    m.failures = i.attempts;
    m.infeasible = i.infeasible;
  }
  std::map<std::string, std::uint32_t> rank;
  for (const memo::Item* m : memo::ranked(left))
    rank.emplace(m->id, static_cast<std::uint32_t>(rank.size() + 1));
  for (CoverageItem& i : c.items)
    if (const auto r = rank.find(i.id); r != rank.end()) i.rank = r->second;
}

void CoverMemo::compare(Coverage& c) const {
  c.last_run = last_run_;
  c.compared = !session_.options.against.empty();
  std::set<std::string> here;
  for (const auto& [id, item] : before_)
    if (item.exposed) here.insert(id);
  for (CoverageItem& i : c.items) {
    if (i.exposed) here.insert(i.id);
    const auto a = against_.find(i.id);
    i.against = a != against_.end() && a->second.exposed;
  }
  for (const auto& [id, item] : against_) {
    if (!item.exposed || here.contains(id)) continue;
    CoverageItem i;
    i.metric = item.metric;
    i.id = id;
    i.against = true;
    for (std::size_t at = 0; at < item.places.size();) {
      const std::size_t end = std::min(item.places.find('\n', at), item.places.size());
      i.places.push_back(item.places.substr(at, end - at));
      at = end + 1;
    }
    c.lacking.push_back(std::move(i));
  }
}

}  // namespace jostle::explore
