// Other programs that take part in an execution: see runtime/family.h. An address in their code
// becomes the number of its file, from 1, in bits 48 to 55, and how far it is from where the file
// was loaded: the same in each process and each execution of a run. Data is that of one process,
// and has its number in bits 56 to 61, too; what lies in no file (heap, stacks) only that.
#pragma once

#include <cstring>

#include "base/types.h"

namespace jostle {

// In memory that all processes of a run share. Entries are never removed.
struct ForeignFiles {
  static constexpr std::uint32_t kMost = 255, kPath = 1000, kShift = 48, kProcessShift = 56;
  struct File {
    bool ready;
    char path[kPath];
  };
  std::uint32_t count;
  File file[kMost];

  // 0: there is no room for it.
  std::uint32_t number_of(const char* path) {
    const std::uint32_t known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (std::uint32_t i = 0; i < known && i < kMost; ++i)
      if (__atomic_load_n(&file[i].ready, __ATOMIC_ACQUIRE) && std::strcmp(file[i].path, path) == 0)
        return i + 1;
    if (known >= kMost || std::strlen(path) >= kPath) return 0;
    // Two processes may enter the same file at once: then it has two numbers, and both lead there.
    const std::uint32_t i = __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL);
    if (i >= kMost) return 0;
    std::strcpy(file[i].path, path);
    __atomic_store_n(&file[i].ready, true, __ATOMIC_RELEASE);
    return i + 1;
  }
  // Null: it is in none of them.
  const char* path_of(Address a) const {
    const std::uint64_t number = a >> kShift & kMost;
    if (number == 0 || !file[number - 1].ready) return nullptr;
    return file[number - 1].path;
  }
};
// Null: there are none.
inline ForeignFiles* g_foreign_files = nullptr;

}  // namespace jostle
