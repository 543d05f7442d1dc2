// The one ordering that makes an execution fail, in one sentence.
#pragma once

#include <string>

#include "report/view.h"

namespace jostle::report {

// "`balance` is read at account.cc:12 by T1, then written at :14 by T2, before T1 writes it at
// :14". Looks for the accesses that an interruption tore apart; if there are none, says which
// thread was interrupted where. Without a failure and without a race: "".
std::string decisive_ordering(View& v);

}  // namespace jostle::report
