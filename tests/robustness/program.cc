// A program with a plain main(): robustness_program BODY
#include "tests/robustness/bodies.h"

int main(int argc, char** argv) {
  const auto body = argc > 1 ? jostle_test::body_named(argv[1]) : nullptr;
  if (!body) return 2;
  const jostle::Result r = jostle::run(body, {.name = argv[1]});
  return !r.error.empty() ? 3 : r.ok() ? 0 : 1;
}
