#include "explore/requests.h"

#include <cstdlib>

namespace jostle::explore {

const Requests& requests() {
  static const Requests& r = *new Requests{
      std::getenv("JOSTLE_INTERNAL_RESULT") ? std::getenv("JOSTLE_INTERNAL_RESULT") : "",
      std::getenv("JOSTLE_INTERNAL_MINIMIZE") != nullptr,
      std::getenv("JOSTLE_INTERNAL_EXPLAIN") != nullptr,
      std::getenv("JOSTLE_INTERNAL_SCRIPT") ? std::getenv("JOSTLE_INTERNAL_SCRIPT") : "",
      std::getenv("JOSTLE_INTERNAL_HERE") != nullptr};
  return r;
}

}  // namespace jostle::explore
