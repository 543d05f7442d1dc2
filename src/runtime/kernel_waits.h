// Calls that wait for locks, queues and FIFOs of the kernel. They are made in a way that does not
// wait, until they succeed.
#pragma once

#include "runtime/system_model.h"

namespace jostle::kernel_waits {

bool is_call(const SystemCall& c);
long call(Thread& t, const SystemCall& c);
// May somebody who waits in one go on after a call with this number?
bool stirs(long number);

}  // namespace jostle::kernel_waits
