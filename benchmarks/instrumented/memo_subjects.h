// Programs that do what their input says, for the study of the memo: what one input has shown need
// not be sought with the next. Each has a bug in something that only the word kRare asks for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jostle_bench {

// What each thread does: words that the program understands in its own way.
using Input = std::vector<std::vector<std::uint8_t>>;

struct InputSubject {
  const char* name;
  const char* bug;
  void (*run)(const Input& input, bool broken);
};
std::span<const InputSubject> input_subjects();

constexpr std::uint8_t kRare = 255;

}  // namespace jostle_bench
