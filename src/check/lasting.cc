#include "check/lasting.h"

#include <link.h>

#include <algorithm>
#include <string_view>

#include "base/rng.h"

namespace jostle::checking {
namespace {

constexpr Address kOffset = 0xffff'ffff;  // below it: where in its area
constexpr Address kNoAddress = Address{1} << 63;

// Of those at the same place, the last one counts.
bool comes_before(const Area* a, const Area* b) {
  return a->begin != b->begin ? a->begin < b->begin : a < b;
}

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
  for (const Area& f : files_) loaded_.push_back(&f);
  std::sort(loaded_.begin(), loaded_.end(), comes_before);
}

const Area* Lasting::find(const std::vector<const Area*>& areas, Address a) {
  auto it = std::upper_bound(areas.begin(), areas.end(), a,
                             [](Address x, const Area* area) { return x < area->begin; });
  if (it == areas.begin()) return nullptr;
  --it;
  return a - (*it)->begin < (*it)->size && (*it)->size <= kOffset ? *it : nullptr;
}

Access Lasting::operator()(Access a) {
  if (class_of(a.touch) == TouchClass::thread) {
    const auto t = static_cast<std::size_t>(a.object - StepLog::thread_object(0));
    if (t < names_->size()) a.object = StepLog::thread_object((*names_)[t]);
    return a;
  }
  if (!sorted_) {
    areas_.clear();
    for (std::uint32_t i = 0; i < log_->area_count; ++i) areas_.push_back(&log_->areas[i]);
    std::sort(areas_.begin(), areas_.end(), comes_before);
    sorted_ = true;
  }
  const Area* area = find(areas_, a.object);
  if (!area) area = find(loaded_, a.object);
  if (area) a.object = kNoAddress | (area->id << 32 & ~kNoAddress) | (a.object - area->begin);
  return a;
}

}  // namespace jostle::checking
