// A program with several runs in it, as a user would write one: replay_program BODY...
#include <cstdio>
#include <cstring>
#include <jostle/jostle.hpp>

#include "tests/replay/bodies.h"

int main(int argc, char** argv) {
  int bad = 0;
  for (int i = 1; i < argc; ++i) {
    const jostle_test::Body* body = jostle_test::find_body(argv[i]);
    if (!body) return 2;
    jostle::Options o;
    o.executions = 3000;
    o.name = body->name;
    const jostle::Result r = jostle::run(body->call, o);
    std::printf("%s: executions %llu%s%s\n", body->name,
                static_cast<unsigned long long>(r.executions), r.skipped ? " skipped" : "",
                r.error.empty() ? "" : (" error: " + r.error).c_str());
    for (const jostle::Finding& f : r.findings)
      std::printf("%s: finding %s %s at %llu confirmed %d schedule %s\n", body->name,
                  f.kind.c_str(), f.fingerprint.c_str(),
                  static_cast<unsigned long long>(f.execution), f.confirmed, f.schedule.c_str());
    bad |= !r.ok();
  }
  return bad;
}
