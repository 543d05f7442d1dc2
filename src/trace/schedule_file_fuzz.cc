// libFuzzer target: whatever the reader accepts, the writer must be able to write again.
#include <cstdio>
#include <cstdlib>

#include "trace/schedule_file.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto first = jostle::read_schedule(text);
  if (!first) {
    if (first.error().empty()) std::abort();
    return 0;
  }
  const auto second = jostle::read_schedule(jostle::write_schedule(*first));
  if (!second) {
    std::fprintf(stderr, "cannot read back: %s\n", second.error().c_str());
    std::abort();
  }
  if (!(*first == *second)) std::abort();
  return 0;
}
