#include "cover/planner.h"

namespace jostle::covering {

void Planner::start() {
  actors_.assign(behaviour_.threads(), {});
  for (std::size_t t = 0; t < actors_.size(); ++t)
    actors_[t].next = behaviour_.first_of(static_cast<ThreadId>(t));
  if (!actors_.empty()) actors_[0].created = true;
  objects_.assign(behaviour_.objects(), {});
  for (std::size_t i = 0; i < objects_.size(); ++i)
    objects_[i].known = behaviour_.initial(static_cast<std::uint32_t>(i), objects_[i].value);
  own_.assign(objects_.size() * actors_.size(), 0);
  saw_.assign(own_.size(), 0);
  past_.clear();
  past_.reserve(longest_ + 1);
  turns_.clear();
  now_.clear();
}

bool Planner::can_go(const Actor& a) const {
  if (!a.created || a.next == Behaviour::kEnd) return false;
  const Behaviour::Node& n = behaviour_.node(a.next);
  switch (n.did) {
    case Did::join:
      return n.object >= actors_.size() || actors_[n.object].next == Behaviour::kEnd;
    case Did::acquire:
      if (a.waits_on != 0 && !a.woken) return false;
      return objects_[n.object].owner == kNoThread && objects_[n.object].readers == 0;
    case Did::read_acquire:
      return objects_[n.object].owner == kNoThread;
    case Did::take:
      return objects_[n.object].taken < objects_[n.object].given + behaviour_.semaphore(n.object);
    case Did::leave:
      return behaviour_.barrier(n.object) == 0 ||
             objects_[n.object].given / behaviour_.barrier(n.object) > a.generation;
    default:
      return true;
  }
}

PastAccess Planner::access(ThreadId t) const {
  const Behaviour::Node& n = behaviour_.node(actors_[t].next);
  const std::uint32_t before = actors_[t].latest;
  SiteKey site = n.site;
  Did did = n.did;
  if (n.mixed && objects_[n.object].known) {
    const auto* way = way_of(n);
    if (!way) way = behaviour_.guess(t, n, objects_[n.object].value, actors_[t].context).way;
    if (way) {
      did = way->did;
      site = site_key(pc_of(n.site), did);
    }
  }
  return {site, n.object, before ? past_[before - 1].position + 1 : 0, before, 0, 0, 0, t, did};
}

// All, or who has waited longest.
void Planner::wake(std::uint32_t condition, bool all) {
  Actor* first = nullptr;
  for (Actor& a : actors_) {
    if (a.waits_on != condition + 1 || a.woken) continue;
    if (all) a.woken = true;
    if (!first || a.waits_since < first->waits_since) first = &a;
  }
  if (first) first->woken = true;
}

void Planner::make(ThreadId t, std::uint32_t window, Rng& rng) {
  Actor& a = actors_[t];
  const Behaviour::Node& n = behaviour_.node(a.next);
  if (n.counts) {
    PastAccess now = access(t);
    past_.emplace_back();
    const auto index = static_cast<std::uint32_t>(past_.size());
    std::uint32_t& own = own_[n.object * actors_.size() + t];
    now.same_before = own;
    own = index;
    Object& o = objects_[n.object];
    Exposure(past_.data(), window).happened(now, o.last, index);
    o.last = a.latest = index;
    turns_.push_back({t, now.site, behaviour_.address(n.object)});
  }
  switch (n.did) {
    case Did::fork:
      if (n.object < actors_.size()) actors_[n.object].created = true;
      turns_.push_back({t, kCreates});
      break;
    case Did::acquire:
      objects_[n.object].owner = t;
      objects_[n.object].acquired = n.site;
      a.waits_on = 0;
      break;
    case Did::read_acquire:
      ++objects_[n.object].readers;
      objects_[n.object].acquired = n.site;
      break;
    case Did::release:
      objects_[n.object].owner = kNoThread;
      break;
    case Did::read_release:
      if (objects_[n.object].readers > 0) --objects_[n.object].readers;
      break;
    case Did::arrive:
      if (const std::uint32_t size = behaviour_.barrier(n.object); size != 0)
        a.generation = objects_[n.object].given / size;
      [[fallthrough]];
    case Did::post:
      ++objects_[n.object].given;
      break;
    case Did::take:
      ++objects_[n.object].taken;
      break;
    case Did::wait:
      a.waits_on = n.object + 1;
      a.waits_since = turns_.size();
      a.woken = false;
      break;
    case Did::signal:
      wake(n.object, n.reads);
      break;
    default:
      break;
  }
  a.next = (is_memory(n.did) ? touch(t, n, rng) : n.ways.front()).next;
}

// The way on, by what is read; and what is there then.
const Behaviour::Node::Way& Planner::touch(ThreadId t, const Behaviour::Node& n, Rng& rng) {
  Actor& a = actors_[t];
  Object& o = objects_[n.object];
  std::uint64_t& saw = saw_[n.object * actors_.size() + t];
  const Behaviour::Node::Way* way = &n.ways.front();
  if (n.reads) {
    way = o.known ? way_of(n) : nullptr;
    if (!way) {
      a.known_way = false;
      Behaviour::Guess guess;
      if (o.known) guess = behaviour_.guess(t, n, o.value, a.context);
      if (!guess.way)
        guess = {&n.ways[rng.below(static_cast<std::uint32_t>(n.ways.size()))],
                 behaviour_.trust(n.site)};
      way = guess.way;
      a.sure *= guess.sure;
    }
    saw = o.known ? o.value : way->read;
    a.context.add(n.site, saw);
  }
  if ((n.mixed ? way->did : n.did) != Did::write) return *way;
  std::uint64_t delta = 0;
  const bool counts = !a.known_way && behaviour_.adds(site_key(pc_of(n.site), Did::write), delta);
  o.value = counts ? saw + delta : way->written;
  o.known = counts || way->written_known;
  return *way;
}

}  // namespace jostle::covering
