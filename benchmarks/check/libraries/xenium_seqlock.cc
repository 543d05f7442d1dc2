// xenium::seqlock: load() and store() are atomic, both together are not.
#include "benchmarks/check/subject.h"
#include "xenium/seqlock.hpp"

namespace jostle_bench {
namespace {

struct Pair {
  long a, b;
};

template <bool kBroken, int kTail>
void test() {
  xenium::seqlock<Pair> pair(Pair{0, 0});
  Tally tally;
  const auto deposit = [&] {
    if (kBroken) {
      Pair p = pair.load();
      ++p.a, --p.b;
      pair.store(p);
    } else {
      pair.update([](Pair& p) { ++p.a, --p.b; });
    }
    tally.add_each(kTail);
  };
  together(deposit, deposit, [&] { tally.add_each(kTail); });
  const Pair p = pair.load();
  JOSTLE_ASSERT(p.a == 2 && p.b == -2);
}

const Enlist enlist({"xenium seqlock",
                     "load(), then store()",
                     "assertion",
                     &test<true, 16>,
                     &test<false, 16>,
                     &test<false, 1>,
                     {&test<true, 1>, &test<true, 2>, &test<true, 3>}});

}  // namespace
}  // namespace jostle_bench
