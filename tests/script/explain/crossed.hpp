// A schedule that fails, for jostle::script(): deadlock
#pragma once

#include <jostle/script.hpp>

inline void failing_schedule() {
  using namespace jostle::scripting;
  wait_for_thread(Tid(0), locks && at_line("explained.cc", 52));
  const Tid t1 = wait_for_thread(Tid(1), starts);
  run_until(t1, locks && at_line("explained.cc", 48));
}
