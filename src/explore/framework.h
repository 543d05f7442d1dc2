// The test framework around us, if it registered itself.
#pragma once

#include <jostle/jostle.hpp>
#include <string>

namespace jostle::explore {

std::string framework_test_name();
std::string framework_argument(const std::string& test);

// Failures of the framework's checks reach the run while this lives.
class FrameworkSession {
 public:
  FrameworkSession();
  FrameworkSession(const FrameworkSession&) = delete;
  FrameworkSession& operator=(const FrameworkSession&) = delete;
  ~FrameworkSession();

 private:
  void* token_ = nullptr;
};

}  // namespace jostle::explore
