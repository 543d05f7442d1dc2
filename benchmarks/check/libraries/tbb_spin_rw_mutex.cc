// tbb::spin_rw_mutex: upgrade_to_writer() may have to let others write first, and says so.
#include <oneapi/tbb/spin_rw_mutex.h>

#include "benchmarks/check/subject.h"

namespace jostle_bench {
namespace {

template <bool kBroken, int kTail>
void test() {
  tbb::spin_rw_mutex mutex;
  int value = 0, made = 0;
  Tally tally;
  const auto make_once = [&] {
    {
      tbb::spin_rw_mutex::scoped_lock lock(mutex, false);
      if (value == 0) {
        const bool kept = lock.upgrade_to_writer();
        if (kBroken || kept || value == 0) {
          value = 7;
          ++made;
        }
      }
    }
    tally.add_each(kTail);
  };
  together(make_once, make_once, [&] { tally.add_each(kTail); });
  JOSTLE_ASSERT(made == 1);
}

const Enlist enlist("tbb spin_rw_mutex", "what upgrade_to_writer() returns is not looked at",
                    "assertion", Lengths<16>(),
                    [](auto broken, auto tail) { test<broken(), tail()>(); });

}  // namespace
}  // namespace jostle_bench
