#include "explore/cover_items.h"

#include <algorithm>
#include <tuple>

#include "cover/profiler.h"

namespace jostle::explore {

using covering::Feasibility;
using covering::Idiom;
using covering::Item;

namespace {

// The same for executions in which each thread did the same, to the same, and was created, joined,
// woken and waited for in the same order: predictions depend on nothing else.
std::uint64_t shape_of(const AccessLog& log) {
  std::vector<std::uint64_t> threads;
  std::vector<bool> waits;
  std::uint64_t order = 0;
  for (std::uint32_t i = 0; i < log.count; ++i) {
    const AccessRecord& r = log.records[i];
    if (r.thread >= threads.size()) {
      threads.resize(r.thread + 1u);
      waits.resize(r.thread + 1u);
    }
    std::uint64_t& h = threads[r.thread];
    h = (h ^ site_key(r.pc, r.did)) * 0xa0761d6478bd642full;
    h = (h ^ (h >> 32) ^ r.object) * 0xe7037ed1a0b428dbull;
    h ^= h >> 29;
    const bool locks = is_acquire(r.did) || is_release(r.did);
    if (is_memory(r.did) || (locks && !waits[r.thread])) continue;
    waits[r.thread] = r.did == Did::wait || (waits[r.thread] && is_release(r.did));
    order = combine64(order, h ^ r.thread);
  }
  for (const std::uint64_t h : threads) order = combine64(order, h);
  return order;
}

}  // namespace

CoverItems::State& CoverItems::of(const Item& item) {
  const std::size_t before = table_.size();
  State& s = table_[item];
  if (table_.size() == before || memo_.empty()) return s;
  s.memo = memo_.said(text_.id(item));
  if (s.memo.tried)
    s.attempts = s.failed_before = static_cast<std::uint32_t>(s.memo.tried->failures);
  if (settled(s)) {
    ++settled_;
    seen_.add(item.hash());
  }
  return s;
}

void CoverItems::keep(const covering::Execution& e) {
  // What is too long gets a number, too, but nothing is worked out from it.
  shapes_.push_back(e.accesses.size() <= kLongest ? std::make_unique<Shape>(e) : nullptr);
  kept_ += shapes_.back() ? e.accesses.size() : 0;
  while (shapes_.size() > kShapes || (kept_ > kMost && shapes_.size() > 1)) {
    kept_ -= shapes_.front() ? shapes_.front()->execution.accesses.size() : 0;
    shapes_.pop_front();
    ++first_shape_;
  }
}

// Threads of all but short executions hardly ever do just the same as before, and predictions take
// longer than all the rest: the longer they are the same, the fewer are made.
bool CoverItems::worth_predicting(std::uint64_t number) {
  constexpr std::uint32_t kRarest = 8;
  if (number > kEarly && unpredicted_ < std::min(idle_, kRarest)) {
    ++unpredicted_;
    return false;
  }
  unpredicted_ = 0;
  return true;
}

// Than the executions before.
bool CoverItems::exposes_more() const {
  for (const Item& i : exposed_)
    if (const State* s = table_.find(i); !s || !s->exposed) return true;
  return false;
}

// True if something was not predicted before.
bool CoverItems::predict(const AccessLog& log, const covering::Execution& e) {
  bool fresh = false;
  predicted_.clear();
  if (wants(Idiom::one)) covering::predict_iroots(e, session_.options.window, predicted_);
  if (wants(Idiom::pair)) covering::estimate_pairs(log.records, log.count, predicted_);
  keep(e);
  const auto shape = static_cast<std::uint32_t>(first_shape_ + shapes_.size() - 1);
  for (const Item& i : predicted_) {
    State& s = of(i);
    fresh |= !s.predicted && !s.memo.remembered;
    s.predicted = true;
    if (!s.exposed && !settled(s) && s.shapes.size() < kJudges) s.shapes.push_back(shape);
  }
  idle_ = fresh ? 0 : idle_ + 1;
  return fresh;
}

CoverItems::Lesson CoverItems::learn(const AccessLog& log, const covering::Execution& e,
                                     const std::string& schedule, std::uint64_t number,
                                     const Item* target, const char* stage, bool thorough) {
  Lesson lesson;
  const std::uint32_t window = session_.options.window;
  exposed_.clear();
  if (wants(Idiom::one)) covering::observe_iroots(e, window, exposed_);
  if (wants(Idiom::pair)) covering::observe_pairs(e, exposed_);
  const bool exposes = exposes_more();
  if ((thorough || (exposes && !is_long(e))) && known_shapes_.insert(shape_of(log)).second) {
    if (exposes || worth_predicting(number)) lesson.fresh = predict(log, e);
    for (const covering::Access& a : e.accesses)
      if (is_memory(a.did)) lesson.places.push_back(pc_of(a.site));
  }
  for (const Item& i : exposed_) {
    State& s = of(i);
    ++s.hits;
    if (s.exposed) continue;
    s.schedule = schedule;
    s.infeasible.clear();
    s.exposed = true;
    s.execution = number;
    s.decided_by = (target ? *target == i : *stage != 0) ? stage : "sampling";
    seen_.add(i.hash());
    lesson.fresh |= !settled(s);
    lesson.exposed += !settled(s);
  }
  return lesson;
}

std::vector<Item> CoverItems::open_items(bool pairs) {
  struct Entry {
    bool foreign;
    std::size_t number;  // of equals, what was known first comes first
    Item item;
  };
  std::vector<Entry> all;
  for (const auto& [item, state] : table_)
    if ((item.idiom == Idiom::pair) == pairs && open(state))
      all.push_back({false, all.size(), item});
  for (Entry& e : all) e.foreign = !own_code(e.item);
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.item.idiom, a.foreign, a.number) <
           std::tie(b.item.idiom, b.foreign, b.number);
  });
  std::vector<Item> out;
  for (const Entry& e : all) out.push_back(e.item);
  return out;
}

bool CoverItems::own_code(const Item& item) {
  for (int i = 0; i < item.places(); ++i)
    if (!text_.place(item.at[i]).user) return false;
  return true;
}

bool CoverItems::possible(const Item& item) {
  State& s = of(item);
  for (; s.judged < s.shapes.size() && !s.possible; ++s.judged) {
    Shape* recorded = shape(s.shapes[s.judged]);
    if (!recorded) continue;
    std::string reason;
    if (recorded->feasibility().judge(item, session_.options.window, reason) ==
        Feasibility::Answer::infeasible) {
      s.infeasible = reason;
      s.decided_by = "closure";
    } else {
      s.possible = true;
      s.infeasible.clear();
      s.decided_by = "";
      std::swap(s.shapes[0], s.shapes[s.judged]);  // the one to work with
    }
  }
  return s.infeasible.empty();
}

Feasibility::Witness CoverItems::witness(const Item& item, Feasibility::Reads reads) {
  State& s = of(item);
  Feasibility::Witness w;
  for (const std::uint32_t number : s.shapes) {
    Shape* recorded = shape(number);
    if (!recorded) continue;
    w = recorded->feasibility().witness(item, session_.options.window, reads);
    if (!w.infeasible) return w;
  }
  if (!w.infeasible) return {};
  s.infeasible = "no order of what it needs agrees with all the rest";
  s.decided_by = w.by_solver ? "z3" : "closure";
  s.judged = static_cast<std::uint32_t>(s.shapes.size());
  return w;
}

std::vector<memo::Item> CoverItems::news(memo::Run& about, bool found) {
  const auto nothing_new = [](const State& s) {
    const memo::Item* m = s.memo.tried;
    return m && m->exposed == s.exposed && m->predicted == s.predicted &&
           m->infeasible == s.infeasible && s.attempts == s.failed_before;
  };
  std::vector<memo::Item> items;
  for (const auto& [item, state] : table_) {
    about.exposed += state.exposed;
    if (settled(state) || found || nothing_new(state)) continue;
    about.fresh += state.exposed && !state.memo.known;
    const CoverageItem text = text_.item(item);
    memo::Item i;
    i.id = text.id;
    i.metric = text.metric;
    for (const std::string& p : text.places) i.places += (i.places.empty() ? "" : "\n") + p;
    i.predicted = state.predicted;
    i.exposed = state.exposed;
    i.failures = state.exposed ? 0 : state.attempts - state.failed_before;
    i.infeasible = state.infeasible;
    i.schedule = state.schedule;
    items.push_back(std::move(i));
  }
  return items;
}

void CoverItems::report(Coverage& c) {
  for (const auto& [item, state] : table_) {
    CoverageItem i = text_.item(item);
    i.exposed = state.exposed;
    i.known = state.memo.known;
    i.predicted = state.predicted;
    i.infeasible = state.infeasible;
    i.decided_by = state.decided_by;
    i.attempts = state.attempts;
    i.execution = state.execution;
    i.hits = state.hits;
    c.items.push_back(std::move(i));
  }
}

}  // namespace jostle::explore
