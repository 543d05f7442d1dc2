// A byte is read while another thread writes the word around it.
#include <cstdint>
#include <thread>

#include "tests/support/case.h"

namespace {

union Word {
  uint32_t word;
  unsigned char bytes[4];
};

}  // namespace

JOSTLE_CASE("race") {
  auto* w = new Word;
  w->word = 0;
  std::thread a([&] { w->word = 0x01010101; });
  unsigned char seen = reinterpret_cast<unsigned char*>(w)[2];
  a.join();
  assert(seen == 0 || seen == 1);
  delete w;
}
