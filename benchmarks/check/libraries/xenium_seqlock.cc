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

const Enlist enlist("xenium seqlock", "load(), then store()", "assertion", Lengths<16>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
