#include "runtime/thread_names.h"

#include <cstring>

#include "sched/scheduler.h"

namespace jostle {

void set_name(Thread& t, const char* name) {
  char given[kNameSize] = {};
  for (std::size_t i = 0; i + 1 < kNameSize && name[i]; ++i) given[i] = name[i];
  std::memcpy(t.name, given, kNameSize);
  if (Recorder* r = t.scheduler->recorder()) std::memcpy(r->thread(t.id).name, given, kNameSize);
}

}  // namespace jostle
