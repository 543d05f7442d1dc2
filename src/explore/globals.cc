// Which variables of the program differ between this process, which has executed the body many
// times, and the keeper, which never has.
#include <link.h>
#include <sys/uio.h>

#include <algorithm>
#include <set>

#include "explore/findings.h"

namespace jostle::explore {
namespace {

struct Region {
  Address begin;
  std::size_t size;
};

int writable_regions(dl_phdr_info* info, std::size_t, void* out) {
  auto& regions = *static_cast<std::vector<Region>*>(out);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& ph = info->dlpi_phdr[i];
    if (ph.p_type == PT_LOAD && (ph.p_flags & PF_W))
      regions.push_back({info->dlpi_addr + ph.p_vaddr, ph.p_memsz});
  }
  return 1;  // the program only
}

// A static that is set at its first use has a guard beside it: that changes together with it.
bool is_guard(const std::string& name) { return name.starts_with("guard variable for "); }

// Not the program's own: Jostle's, the test framework's, the standard library's.
bool is_ours(const std::string& name) {
  for (const char* prefix :
       {"jostle::", "testing::", "std::", "g_testing", "_ZN7testing", "_ZN6jostle", "_"})
    if (name.compare(0, std::char_traits<char>::length(prefix), prefix) == 0) return true;
  return name.find("jostle::") != std::string::npos || name.find("testing::") != std::string::npos;
}

}  // namespace

std::vector<std::string> changed_globals(pid_t pristine, report::Symbols& symbols) {
  std::vector<Region> regions;
  dl_iterate_phdr(&writable_regions, &regions);
  std::set<std::string> names;
  for (const Region& r : regions) {
    std::vector<char> before(r.size);
    iovec local{before.data(), r.size}, remote{reinterpret_cast<void*>(r.begin), r.size};
    if (process_vm_readv(pristine, &local, 1, &remote, 1, 0) != static_cast<ssize_t>(r.size))
      continue;
    const char* now = reinterpret_cast<const char*>(r.begin);
    for (std::size_t i = 0; i < r.size && names.size() < 8; i += 4) {
      if (std::equal(now + i, now + std::min(i + 4, r.size), before.data() + i)) continue;
      std::uint64_t offset = 0;
      const std::string name = symbols.data_symbol(r.begin + i, offset);
      if (!name.empty() && !is_guard(name) && !is_ours(name)) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace jostle::explore
