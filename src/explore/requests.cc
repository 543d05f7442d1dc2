#include "explore/requests.h"

#include <cstdlib>

namespace jostle::explore {

const Requests& requests() {
  const auto text = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  static const Requests& r = *new Requests{text("JOSTLE_INTERNAL_RESULT"),
                                           std::getenv("JOSTLE_INTERNAL_MINIMIZE") != nullptr,
                                           std::getenv("JOSTLE_INTERNAL_EXPLAIN") != nullptr,
                                           text("JOSTLE_INTERNAL_SCRIPT"),
                                           text("JOSTLE_INTERNAL_SPAWNED"),
                                           std::getenv("JOSTLE_INTERNAL_HERE") != nullptr,
                                           text("JOSTLE_INTERNAL_EXEC"),
                                           text("JOSTLE_INTERNAL_DIRECTORY")};
  return r;
}

}  // namespace jostle::explore
