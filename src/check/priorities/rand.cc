// A random order: no part of the tree is lingered in, and everything comes in the end.
#include "base/rng.h"
#include "check/priorities/all.h"

namespace jostle::checking {
namespace {

class Random final : public Priority {
 public:
  explicit Random(std::uint64_t seed) : seed_(mix64(seed)) {}
  std::uint16_t cost(const Departure& d) override {
    return static_cast<std::uint16_t>(mix64(seed_ + d.number) >> 48);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Priority> make_rand(const Arguments&, std::uint64_t seed, const Code&) {
  return std::make_unique<Random>(seed);
}

}  // namespace jostle::checking
