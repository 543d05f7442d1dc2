#include "check/lasting.h"

#include <link.h>

#include <algorithm>
#include <string_view>

#include "base/rng.h"

namespace jostle::checking {
namespace {

constexpr Address kOffset = 0xffff'ffff;  // below it: where in its area
constexpr Address kNoAddress = Address{1} << 63;

bool begins_earlier(const Area& a, const Area& b) { return a.begin < b.begin; }

}  // namespace

Lasting::Lasting() {
  dl_iterate_phdr(
      [](dl_phdr_info* file, std::size_t, void* out) {
        Area area{file->dlpi_addr, 0, 0};
        for (const char c : std::string_view(file->dlpi_name ? file->dlpi_name : ""))
          area.id = combine64(area.id, static_cast<unsigned char>(c));
        for (int i = 0; i < file->dlpi_phnum; ++i)
          if (const ElfW(Phdr)& part = file->dlpi_phdr[i]; part.p_type == PT_LOAD)
            area.size = std::max<std::uint64_t>(area.size, part.p_vaddr + part.p_memsz);
        static_cast<std::vector<Area>*>(out)->push_back(area);
        return 0;
      },
      &files_);
  std::sort(files_.begin(), files_.end(), begins_earlier);
}

const Area* Lasting::find(const std::vector<Area>& areas, Address a) {
  auto it = std::upper_bound(areas.begin(), areas.end(), a,
                             [](Address x, const Area& area) { return x < area.begin; });
  if (it == areas.begin()) return nullptr;
  --it;
  return a - it->begin < it->size && it->size <= kOffset ? &*it : nullptr;
}

Access Lasting::operator()(Access a) {
  if (class_of(a.touch) == TouchClass::thread) {
    const auto t = static_cast<std::size_t>(a.object - StepLog::thread_object(0));
    if (t < names_->size()) a.object = StepLog::thread_object((*names_)[t]);
    return a;
  }
  if (!sorted_) {
    areas_.assign(log_->areas, log_->areas + log_->area_count);
    // Of blocks at the same place, the last one.
    std::stable_sort(areas_.begin(), areas_.end(), begins_earlier);
    sorted_ = true;
  }
  const Area* area = find(areas_, a.object);
  if (!area) area = find(files_, a.object);
  if (area) a.object = kNoAddress | (area->id << 32 & ~kNoAddress) | (a.object - area->begin);
  return a;
}

}  // namespace jostle::checking
