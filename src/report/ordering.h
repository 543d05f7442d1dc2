// The one ordering that makes an execution fail, in one sentence.
#pragma once

#include <string>

#include "report/view.h"

namespace jostle::report {

// "`balance` is read at account.cc:12 by T1, then written at :14 by T2, before T1 writes it at
// :14". Looks for the accesses that an interruption tore apart; if there are none, says which
// thread was interrupted where. Without a failure and without a race: "".
std::string decisive_ordering(View& v);

// What a thread that spins has looked at last in its loop, or tried, if that is not what it does
// next: an index into Trace::events; events.size() if it is, or nothing is known.
std::size_t look_in_vain(const Trace& t, const Blocked& b);

}  // namespace jostle::report
