#include "cover/behaviour.h"

#include <algorithm>

namespace jostle::covering {

std::uint32_t Behaviour::number(Address a) {
  const auto [it, fresh] = numbers_.try_emplace(a, static_cast<std::uint32_t>(numbers_.size()));
  if (fresh) {
    addresses_.push_back(address_of(a));
    initial_.push_back(0);
    initial_known_.push_back(false);
    at_first_.push_back(0);
    arrivals_.push_back(0);
  }
  return it->second;
}

std::uint64_t Behaviour::key(int level, ThreadId t, const Node& n, std::uint64_t value,
                             const Context& context) {
  std::uint64_t h = combine64(pc_of(n.site), t);
  if (level == kNear) return h;
  h = combine64(combine64(h, value), static_cast<std::uint64_t>(level));
  if (level >= 2) h = combine64(h, n.object);
  if (level >= 3) h = combine64(h, context.last[0]);
  if (level >= 4) h = combine64(h, context.last[1]);
  if (level >= 5)
    for (std::size_t i = 2; i < Context::kLast; ++i) h = combine64(h, context.last[i]);
  return h;
}

const Behaviour::Like* Behaviour::like(ThreadId t, const Node& n, std::uint64_t value,
                                       const Context& context, int& level) const {
  for (level = kLevels - 1; level > kNear; --level)
    if (const auto it = alike_.find(key(level, t, n, value, context)); it != alike_.end())
      return &it->second;
  const auto known = near_.find(key(kNear, t, n, value, context));
  if (known == near_.end()) return nullptr;
  // Counters are near each other. Addresses that are not are said nothing about: they lie elsewhere
  // in the next process.
  constexpr std::uint64_t kFar = 1u << 16;
  const auto above = known->second.lower_bound(value);
  const std::uint64_t up = above == known->second.end() ? kFar : above->first - value;
  const auto below = above == known->second.begin() ? above : std::prev(above);
  const std::uint64_t down = below == above ? kFar : value - below->first;
  if (std::min(up, down) >= kFar) return nullptr;
  return down < up ? &below->second : &above->second;
}

Behaviour::Guess Behaviour::guess(ThreadId t, const Node& n, std::uint64_t value,
                                  const Context& context) const {
  int level = 0;
  const Like* l = like(t, n, value, context, level);
  if (!l) return {};
  return {&nodes_[l->node].ways[l->way],
          (levels_[level].same + 2 * kFirst) / (levels_[level].all + 2)};
}

void Behaviour::add(const std::vector<AccessRecord>& records,
                    const std::unordered_set<Address>& shared) {
  // What a write wrote is what the next one to look finds.
  std::vector<std::uint32_t> next(records.size(), 0);  // access to the same object, from 1
  std::unordered_map<Address, std::uint32_t> later;
  for (std::size_t i = records.size(); i-- > 0;)
    if (is_memory(records[i].did)) {
      std::uint32_t& n = later[records[i].object];
      next[i] = n;
      n = static_cast<std::uint32_t>(i + 1);
    }
  struct At {
    std::uint32_t node = kEnd;
    std::size_t way = 0;
    Context context;
    int guessed = -1;                                      // what follows, at that level
    std::uint32_t expected = kEnd;                         // as it was guessed
    std::unordered_map<std::uint32_t, std::uint64_t> saw;  // by object, what it read last
  };
  std::vector<At> at;
  std::unordered_map<std::uint32_t, std::uint32_t> gave, took;
  std::unordered_set<std::uint32_t> left, touched;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const AccessRecord& r = records[i];
    const Address object = object_of(r);
    const bool of_threads = r.did == Did::fork || r.did == Did::join;
    if (is_memory(r.did) && !shared.contains(object)) continue;
    const std::size_t most = std::max<std::size_t>(r.thread, of_threads ? r.object : 0) + 1;
    if (at.size() < most) at.resize(most);
    if (first_.size() < most) first_.resize(most, kEnd);
    Node op;
    op.site = site_key(r.pc, r.did);
    op.object = of_threads ? static_cast<std::uint32_t>(r.object) : number(object);
    op.did = r.did;
    op.reads = r.reads || r.did == Did::read;
    op.counts =
        shared.contains(object) && (is_memory(r.did) || is_acquire(r.did) || is_release(r.did));
    // What is there before the first write may be left from anything, unless somebody cares for it.
    if (is_memory(r.did) && touched.insert(op.object).second && op.reads) {
      initial_[op.object] = r.value;
      initial_known_[op.object] = true;
    }
    if (r.did == Did::post) ++gave[op.object];
    if (r.did == Did::take && ++took[op.object] > gave[op.object])
      at_first_[op.object] = std::max(at_first_[op.object], took[op.object] - gave[op.object]);
    if (r.did == Did::arrive && !left.contains(op.object)) ++gave[op.object];
    if (r.did == Did::leave && left.insert(op.object).second)
      arrivals_[op.object] = gave[op.object];

    // The operation, after the way that the thread has taken so far.
    At& here = at[r.thread];
    std::uint32_t child =
        here.node == kEnd ? first_[r.thread] : nodes_[here.node].ways[here.way].next;
    const auto same = [&](const Node& n) {
      return n.object == op.object &&
             (n.site == op.site ||
              (is_memory(n.did) && is_memory(op.did) && pc_of(n.site) == r.pc));
    };
    if (here.guessed >= 0) {
      Trust& l = levels_[here.guessed];
      l.all += 1;
      l.same += here.expected != kEnd && same(nodes_[here.expected]);
      here.guessed = -1;
    }
    if (child == kEnd || !same(nodes_[child])) {
      // Not known yet; or the thread depends on something else as well, and this is newer.
      child = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(op);
      if (here.node == kEnd)
        first_[r.thread] = child;
      else
        nodes_[here.node].ways[here.way].next = child;
    }
    Node& n = nodes_[child];
    n.counts |= op.counts;
    n.mixed |= n.did != op.did;
    n.reads |= op.reads;
    const bool by_value = is_memory(r.did) && op.reads;
    const std::uint64_t read = by_value ? r.value : 0;
    auto way = std::find_if(n.ways.begin(), n.ways.end(),
                            [&](const Node::Way& w) { return w.read == read; });
    if (way == n.ways.end()) {
      if (by_value && !n.ways.empty()) {
        int level = 0;
        if (const Like* l = like(r.thread, n, read, here.context, level)) {
          here.guessed = level;
          here.expected = nodes_[l->node].ways[l->way].next;
        }
      }
      way = n.ways.insert(n.ways.end(), {read, 0, false, r.did, kEnd});
    }
    way->did = r.did;
    if (r.did == Did::write && next[i] != 0) {
      way->written = records[next[i] - 1].value;
      way->written_known = true;
      const auto saw = here.saw.find(op.object);
      if (r.reads || saw != here.saw.end()) {
        const std::uint64_t delta = way->written - (r.reads ? r.value : saw->second);
        Step& step = steps_[op.site];
        if (step.same == 0) step.delta = delta;
        ++(step.delta == delta ? step.same : step.others);
      }
    }
    here.node = child;
    here.way = static_cast<std::size_t>(way - n.ways.begin());
    if (by_value) {
      const Like now{child, static_cast<std::uint32_t>(here.way)};
      near_[key(kNear, r.thread, n, read, here.context)][read] = now;
      for (int level = kNear + 1; level < kLevels; ++level)
        alike_[key(level, r.thread, n, read, here.context)] = now;
      here.saw[op.object] = read;
      here.context.add(op.site, read);
    }
  }
}

void Behaviour::learn_trust() {
  if (nodes_.size() < trusted_ + trusted_ / 8) return;
  trusted_ = nodes_.size();
  trust_.clear();
  for (const Node& n : nodes_) {
    if (!n.reads || n.ways.size() < 2) continue;
    Trust& t = trust_[n.site];
    const SiteKey usual = nodes_[n.ways[0].next].site;
    for (std::size_t i = 1; i < n.ways.size(); ++i) {
      t.same += nodes_[n.ways[i].next].site == usual;
      t.all += 1;
    }
  }
}

}  // namespace jostle::covering
