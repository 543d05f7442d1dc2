// What a snapshot remembers, and what has changed since: shared by snapshot.cc, which takes it and
// puts it back, and snapshot_calls.cc, which notes what system calls do.
#pragma once

#include "base/mapped.h"
#include "runtime/snapshot.h"
#include "runtime/trap.h"

namespace jostle::snapshot {

inline constexpr std::uintptr_t kPage = 4096;
inline constexpr std::size_t kMostBytes = std::size_t{1} << 28;
// More would take longer than a fork.
inline constexpr std::size_t kMostHot = 1500;

struct Region {
  std::uintptr_t begin, end;
  const char* saved;
  std::uint32_t first_page;  // index in Table::state
};
// Of one page: protected; written in this execution for the first time; always written.
enum State : std::uint8_t { kCold, kOpen, kHot };

struct Table {
  bool taken = false;
  char trouble[160] = {};
  Counts counts{};
  MappedVector<Region> regions{1u << 12};
  MappedVector<std::uint8_t> state{kMostBytes / kPage + (1u << 12)};
  MappedVector<char> bytes{kMostBytes + (1u << 24)};
  struct Page {
    char* at;
    const char* saved;
    std::uint32_t index;  // in `state`
    std::uint32_t size;   // a whole page but at the two ends of a region
  };
  MappedVector<Page> hot{kMostHot * 8};
  MappedVector<Page> open{1u << 16};
  // Mappings that the execution has made.
  struct Mapping {
    std::uintptr_t begin;
    std::size_t size;
  };
  MappedVector<Mapping> mappings{1u << 14};
  std::uintptr_t brk = 0;
  bool brk_changed = false;
  // Descriptors: which there were, copies of them, and which are to be closed or put back.
  static constexpr int kDescriptors = 1024;
  int copy[kDescriptors];  // -1: there was none
  bool changed[kDescriptors] = {}, moved[kDescriptors] = {};
  long position[kDescriptors], flags[kDescriptors];
  bool flags_changed[kDescriptors] = {}, closes[kDescriptors] = {};
  bool descriptors_changed = false;
  int directory = -1;
  bool directory_changed = false, mask_changed = false, signals_changed = false;
  bool umask_changed = false, timer_set = false;
  long umask_value = 0;
  std::uint64_t mask = 0;
  KernelSigaction handlers[65] = {};
};

extern Table* g_table;  // null until take()

// The page is going to change, or has: it will be copied back. False if it is none of ours, or was
// opened before.
bool open_page(std::uintptr_t a);

}  // namespace jostle::snapshot
