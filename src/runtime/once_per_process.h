// Is this the first time in this process, forked ones included? To be asked in each execution: a
// system call for its number would take as long as a tenth of a small one.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/mapped.h"
#include "runtime/system_call.h"

namespace jostle {

class OncePerProcess {
 public:
  bool operator()() {
    if (!page_) {
      page_ = static_cast<long*>(map_pages(kPage));
      // The kernel clears it in each process that is forked.
      wiped_ = system_call(SYS_madvise, reinterpret_cast<long>(page_), kPage, MADV_WIPEONFORK) == 0;
    }
    const long now = wiped_ ? 1 : system_call(SYS_getpid);
    const bool first = *page_ != now;
    *page_ = now;
    return first;
  }

 private:
  static constexpr std::size_t kPage = 4096;
  long* page_ = nullptr;
  bool wiped_ = false;
};

}  // namespace jostle
