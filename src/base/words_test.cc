#include "base/words.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace jostle {
namespace {

// Thread-local memory of a program begins and ends anywhere.
TEST(Words, AnyPlaceAndLength) {
  constexpr std::size_t kSizes[] = {0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 200, 255, 256, 257, 300};
  for (std::size_t offset = 0; offset < 17; ++offset)
    for (const std::size_t n : kSizes) {
      alignas(64) std::array<char, 512> from, cleared, copied;
      std::iota(from.begin(), from.end(), 1);
      cleared.fill(7);
      copied.fill(7);
      clear_words(&cleared[offset], n);
      copy_words(&copied[offset], &from[offset + 1], n);
      for (std::size_t i = 0; i < from.size(); ++i) {
        const bool inside = i >= offset && i < offset + n;
        ASSERT_EQ(cleared[i], inside ? 0 : 7) << offset << " " << n << " " << i;
        ASSERT_EQ(copied[i], inside ? from[i + 1] : 7) << offset << " " << n << " " << i;
      }
    }
}

TEST(Words, FewAtAnyPlace) {
  for (std::size_t offset = 0; offset < 17; ++offset) {
    alignas(64) std::array<char, 128> a;
    a.fill(7);
    clear_few<64>(&a[offset]);
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(a[i], i >= offset && i < offset + 64 ? 0 : 7) << offset << " " << i;
  }
}

}  // namespace
}  // namespace jostle
