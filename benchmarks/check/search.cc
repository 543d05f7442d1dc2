#include "benchmarks/check/search.h"

#include <algorithm>
#include <cstdio>

#include "benchmarks/bench.h"
#include "benchmarks/search.h"
#include "check/checker.h"
#include "explore/attempts.h"
#include "report/symbols.h"

namespace jostle_bench {
namespace {

using namespace jostle;
using namespace jostle::explore;
using jostle::checking::Checker;
using jostle::checking::Node;
using jostle::checking::NodeId;

// What branches off last comes first. Equal priorities alone do not make a search depth first here:
// they are a stack, and a race with an early step may be found late.
class Deepest final : public checking::Priority {
  std::uint16_t cost(const checking::Departure& d) override {
    return static_cast<std::uint16_t>(0xffff - std::min(d.step, 0xffffu));
  }
};

checking::Reduction reduction_of(const Options& o) {
  switch (o.reduction) {
    case Options::Reduction::none:
      return checking::Reduction::none;
    case Options::Reduction::dpor:
      return checking::Reduction::dpor;
    case Options::Reduction::source:
      return checking::Reduction::source;
    case Options::Reduction::bpor:
      return checking::Reduction::bpor;
    default:
      return o.preemptions.empty() ? checking::Reduction::optimal : checking::Reduction::bpor;
  }
}

// For each execution that has been made, the steps up to where the last of what is still to be
// done branches off; and one for each that is to be made. Nobody is under way.
std::uint64_t uncompressed(const checking::Tree& tree) {
  const auto n = static_cast<NodeId>(tree.peak());  // numbers are used again
  std::vector<std::uint32_t> end(n);
  std::uint64_t leaves = 0, inner = 0;
  auto alive = [&](NodeId i) { return !tree[i].executed || tree[i].children > 0; };
  for (NodeId i = 1; i < n; ++i) {
    if (!alive(i)) continue;
    leaves += !tree[i].executed;
    std::uint32_t& e = end[tree[i].parent];
    e = std::max(e, tree[i].step);
  }
  for (NodeId i = 0; i < n; ++i)
    if (alive(i) && tree[i].executed && end[i] > tree[i].step) inner += end[i] - tree[i].step;
  return leaves + inner;
}

}  // namespace

void register_deepest() {
  checking::register_priority({"deepest", "what branches off last first",
                               [](const std::vector<std::string>&, std::uint64_t,
                                  const checking::Code&) -> std::unique_ptr<checking::Priority> {
                                 return std::make_unique<Deepest>();
                               }});
}

Course search_all(void (*body)(), const Options& o,
                  const std::function<void(const Extent&)>& each_1000) {
  Course c;
  const Session session = session_of(body, o);
  report::Symbols symbols;
  checking::Code code;
  code.function = [&](std::uint64_t pc) {
    std::string all;
    for (const auto& f : symbols.frames(pc)) all += f.function + "\n";
    return all;
  };
  auto orders = checking::make_orders(o.priority, o.seed, code);
  if (!orders) {
    std::snprintf(c.finding, sizeof c.finding, "%s", "wrong priority");
    return c;
  }
  Checker checker({.reduction = reduction_of(o),
                   .preemptions = o.preemptions.empty()
                                      ? ~0u
                                      : static_cast<std::uint32_t>(std::stoul(o.preemptions)),
                   .orders = std::move(*orders)});
  const auto attempts = attempts_here(session);
  Terms terms;
  Known known;
  std::vector<checking::Planned> plan(1);
  std::vector<Attempt> made;
  const double start = seconds();
  double executing = 0;
  while (c.executions < o.executions) {
    if (o.budget > 0 && (c.executions & 15) == 15 && seconds() > start + o.budget) break;
    if (!checker.next(plan[0])) {
      c.complete = true;
      break;
    }
    const double from = seconds();
    attempts->make(plan, checker.names(), terms, made);
    executing += seconds() - from;
    const Attempt& a = made[0];
    if (a.outcome.again) {
      terms.watches = true;
      checker.start();
      continue;
    }
    ++c.executions;
    bool again = false;
    for (const Problem& race : a.races) {
      c.raced = true;
      for (const auto* p : {&race.place, &race.other})
        if (class_of(p->kind) == EventClass::access || p->kind == EventKind::free)
          again |= known.promote(whole(race.place.pc, p->pc));
    }
    const bool failed = a.outcome.failure.kind != FindingKind::none;
    if (again && !failed) {
      terms.promoted = known.promoted;
      checker.start();
      continue;
    }
    checker.absorb(plan[0].node, *a.log, a.followed);
    if (failed) {
      std::snprintf(c.finding, sizeof c.finding, "%s",
                    std::string(name_of(a.outcome.failure.kind)).c_str());
      break;
    }
    if (each_1000 && c.executions % 1000 == 0)
      each_1000({c.executions, seconds() - start, checker.tree().live(), checker.tree().created(),
                 uncompressed(checker.tree()), checker.tree().besides()});
  }
  c.seconds = seconds() - start;
  c.searching = c.seconds - executing;
  c.steps = checker.counts().deepest;
  c.departed = checker.counts().departed > 0 || checker.counts().truncated ||
               !checker.counts().beyond.empty();
  c.nodes = checker.tree().live();
  c.created = checker.tree().created();
  c.uncompressed = uncompressed(checker.tree());
  return c;
}

}  // namespace jostle_bench
