// Shadow memory: for every eight bytes of the program one cell that says who accessed them last
// and which synchronisation object lives there. Cells are never evicted and never cleared
// between executions: what an earlier execution left is older than every clock of this one.
#pragma once

#include "base/large_pages.h"
#include "base/mapped.h"
#include "sched/thread.h"

namespace jostle {

// What RaceDetector makes of the two epochs besides is its own.
struct Cell {
  Epoch write;               // last plain write; 0 = none
  Epoch read;                // last plain read; 0 = none
  std::uint32_t write_site;  // low half of the pc of that write
  std::uint32_t read_site;
  std::uint32_t object;     // see ObjectTable
  std::uint8_t write_mask;  // bytes of the eight that `write` touched
  std::uint8_t read_mask;
  std::uint8_t freed;   // write is the free() of a heap block that holds these bytes
  std::uint8_t shared;  // two threads have touched them: see RaceDetector::look_for_sharing()
};
static_assert(sizeof(Cell) == 32);

class Shadow {
 public:
  static constexpr std::uint32_t kPageShift = 12;
  static constexpr std::uint32_t kCellsPerPage = 1u << (kPageShift - 3);

  Shadow() : pages_(kDirectory), known_(kDirectory) {
    for (auto& e : cache_) e = {~0ull, nullptr};
    pages_.resize(kDirectory);
  }

  Cell* cell(Address a) {
    Cell* c = quick_cell(a);
    return JOSTLE_LIKELY(c != nullptr) ? c : lookup(a >> kPageShift) + in_page(a);
  }
  // Has any of the cells of the page that `a` lies in ever been used?
  bool knows_page(Address a) const {
    const std::uint64_t page = a >> kPageShift;
    return cache_[page & (kCache - 1)].page == page || pages_[slot_of(page)].cells != nullptr;
  }
  // Null if it takes longer to find.
  Cell* quick_cell(Address a) {
    const std::uint64_t page = a >> kPageShift;
    const Cached& c = cache_[page & (kCache - 1)];
    return JOSTLE_LIKELY(c.page == page) ? c.cells + in_page(a) : nullptr;
  }
  // f(cell, first address) for all cells of a range. Of a large one, pages that nobody has touched
  // in sight of ours are left out, but for the first: four times as much memory would be touched
  // for them. What is left is looked for where there is less to look at: in the range, or among the
  // pages that are known.
  template <class F>
  void each_cell(Address a, std::size_t size, F f) {
    const Address end = a + size;
    if (size < kLargeBlock) return each_cell_between(a, end, f);
    const Address rest = page_after(a);
    each_cell_between(a, rest, f);
    if ((end - rest) >> kPageShift <= known_.size()) {
      for (a = rest; a < end; a = page_after(a))
        if (knows_page(a)) each_cell_between(a, page_after(a) < end ? page_after(a) : end, f);
      return;
    }
    for (std::size_t i = 0; i < known_.size(); ++i) {  // f may find more, but none in this range
      const Address page = known_[i] << kPageShift;
      if (page >= rest && page < end)
        each_cell_between(page, page_after(page) < end ? page_after(page) : end, f);
    }
  }

 private:
  static constexpr std::uint32_t kCache = 1024;
  static constexpr std::size_t kLargeBlock = std::size_t{16} << kPageShift;
  static constexpr std::size_t kDirectory = 1u << 22;  // open addressing: 4 M pages = 16 GB
  struct Cached {
    std::uint64_t page;
    Cell* cells;
  };

  static Address page_after(Address a) { return ((a >> kPageShift) + 1) << kPageShift; }
  template <class F>
  void each_cell_between(Address a, Address end, F f) {
    while (a < end) {
      const Address stop = page_after(a) < end ? page_after(a) : end;
      for (Cell* c = cell(a); a < stop; a += 8) f(*c++, a);
    }
  }

  static std::size_t in_page(Address a) { return (a >> 3) & (kCellsPerPage - 1); }

  // Where it is in the directory, or belongs.
  std::size_t slot_of(std::uint64_t page) const {
    std::size_t i = (page * 0x9e3779b97f4a7c15ull) >> 42;
    while (pages_[i].cells && pages_[i].page != page) i = (i + 1) & (kDirectory - 1);
    return i;
  }

  [[gnu::noinline]] Cell* lookup(std::uint64_t page) {
    if (JOSTLE_UNLIKELY(left_ == 0)) more();
    const std::size_t i = slot_of(page);
    if (!pages_[i].cells) {
      pages_[i] = {page, chunk_};
      known_.push(page);
      chunk_ += kCellsPerPage;
      --left_;
    }
    cache_[page & (kCache - 1)] = pages_[i];
    return pages_[i].cells;
  }

  // Cells of a program that uses much memory lie in large pages: accesses at random would miss the
  // processor's table of pages each time. Small ones do not pay for them. The handler of a signal
  // that comes while the kernel is asked may need cells itself: nothing is half done then.
  void more() {
    const bool large = chunk_ != nullptr;
    const std::size_t pages = large ? kLargeChunk : kChunk;
    const std::size_t bytes = pages * kCellsPerPage * sizeof(Cell);
    auto* const chunk = static_cast<Cell*>(map_pages(bytes));
    if (large) prefer_large_pages(chunk, bytes);
    chunk_ = chunk;
    left_ = pages;
  }

  static constexpr std::size_t kChunk = 256, kLargeChunk = 1024;  // 4 and 16 MB
  Cached cache_[kCache];
  MappedVector<Cached> pages_;
  MappedVector<std::uint64_t> known_;  // the pages in it, in the order in which they came
  Cell* chunk_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace jostle
