#include <gtest/gtest.h>

#include "report/formats/formats.h"
#include "report/formats/sample.h"

namespace jostle::report {
namespace {

TEST(Perfetto, ATrackForEachThread) {
  EXPECT_EQ(to_perfetto(std::vector{sample_run()}), R"json({
  "displayTimeUnit": "ms",
  "traceEvents": [
    {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "Account.Withdraw: assertion at account.cc:14"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "T1"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 3, "args": {"name": "T2"}},
    {"ph": "X", "name": "T1 runs, is interrupted", "pid": 1, "tid": 2, "cat": "stretch", "ts": 0, "dur": 1000},
    {"ph": "X", "name": "read balance → 100", "pid": 1, "tid": 2, "cat": "read", "ts": 0, "dur": 1000, "args": {"order": 1, "function": "Account::withdraw", "file": "/home/me/account.cc", "line": 12}},
    {"ph": "X", "name": "T2 runs", "pid": 1, "tid": 3, "cat": "stretch", "ts": 1000, "dur": 1000},
    {"ph": "s", "name": "T1 is interrupted, T2 runs", "pid": 1, "tid": 2, "cat": "switch", "id": 1, "ts": 500},
    {"ph": "f", "name": "T1 is interrupted, T2 runs", "pid": 1, "tid": 3, "cat": "switch", "id": 1, "bp": "e", "ts": 1250},
    {"ph": "X", "name": "write balance = 90", "pid": 1, "tid": 3, "cat": "write", "ts": 1000, "dur": 1000, "cname": "terrible", "args": {"order": 2, "function": "Account::withdraw", "file": "/home/me/account.cc", "line": 14, "change": "T1 is interrupted, T2 runs"}}
  ]
}
)json");
}

TEST(Perfetto, NothingFound) {
  EXPECT_EQ(to_perfetto(std::vector{passed_run("a")}),
            "{\n  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": []\n}\n");
}

}  // namespace
}  // namespace jostle::report
