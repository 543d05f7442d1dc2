// Thread-specific data and thread_local objects of controlled threads: their carriers never
// end, so their destructors are run here.
#pragma once

#include "runtime/carrier.h"

namespace jostle {

bool has_thread_destructors(Thread& t);
// What a thread that ends looks at and pthread_key_delete changes; 0 if it never used a key.
Address keys_of(Thread& t);
void run_thread_destructors(Thread& t);
// After an execution that ended in the middle: nothing of its threads may be seen by the next.
void forget_abandoned_threads(CarrierPool& pool);
// On the carrier's own control block: the second half of that.
void clear_keys();

}  // namespace jostle
