// The same in GoogleTest: the body is named by ROBUSTNESS_BODY.
#include <jostle/gtest.hpp>

#include "tests/robustness/bodies.h"

JOSTLE_TEST(Robustness, Body) { jostle_test::body_named(std::getenv("ROBUSTNESS_BODY"))(); }
TEST(Robustness, ComesAfter) { std::puts("the next test was run"); }
