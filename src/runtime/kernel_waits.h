// Calls that wait for locks, queues and FIFOs of the kernel. They are made in a way that does not
// wait, until they succeed.
#pragma once

#include "runtime/system_model.h"

namespace jostle::kernel_waits {

// Of a file's locks, a semaphore or a message queue, whether it waits or not.
bool is_lock_or_queue(const SystemCall& c);
bool is_call(const SystemCall& c);
long call(Thread& t, const SystemCall& c);
// May somebody who waits in one go on after a call with this number?
bool stirs(long number);

}  // namespace jostle::kernel_waits
