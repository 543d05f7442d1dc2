// What the tests of this folder share. They run on both backends: ctest sets JOSTLE_BACKEND.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <jostle/gtest.hpp>
#include <string>

namespace jostle_test {

inline bool on_kernel_threads() {
  const char* b = std::getenv("JOSTLE_BACKEND");
  return b && std::strcmp(b, "threads") == 0;
}

// Kernel threads are some fifty times slower.
inline jostle::Options quick(std::uint64_t executions = 300) {
  jostle::Options o;
  o.executions = on_kernel_threads() ? std::min<std::uint64_t>(executions, 60) : executions;
  o.quiet = true;
  o.output = testing::TempDir() + "jostle-runtime-tests";
  return o;
}

inline std::string kinds(const jostle::Result& r) {
  std::string s = r.error.empty() ? "" : "error";
  for (const jostle::Finding& f : r.findings)
    s += (s.empty() ? "" : ",") + f.kind + (f.confirmed ? "" : "(unconfirmed)");
  return s;
}

#define EXPECT_PASSES(result) EXPECT_TRUE((result).ok()) << (result).report
#define EXPECT_FINDS(result, kind) EXPECT_EQ(jostle_test::kinds(result), kind) << (result).report

}  // namespace jostle_test
