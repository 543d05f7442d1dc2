// The file a schedule is kept in. Text, one fact a line, so that it can be read, diffed and
// merged in a repository:
//
//     jostle-schedule 1
//     tool 0.1.0
//     program /home/me/bank_test
//     argument --gtest_filter=Bank.Transfer
//     test Bank.Transfer
//     build-id 5fd3c1
//     finding assertion
//     message "balance == 0 failed"
//     place bank.cc:30
//     backend fibers
//     preempt race
//     spurious 0
//     weak-cas 1
//     timeouts 1
//     max-steps 200000
//     patience 0
//     promote 0x12f0 in Account::withdraw at bank.cc:14
//     @17 thread 0.1 when 0.0 is before mutex_lock in Account::withdraw at bank.cc:12 #0
//     end 1
//
// `argument` and `promote` may repeat; every other key stands exactly once. Steps come in the
// order of their decisions, after the keys; `end` gives their number, so that a file cut short
// is noticed. Lines that start with '#' are comments.
//
// Rule of the version: it grows whenever a reader of the old format would misread or refuse a
// file of the new one. A reader refuses every version but its own and those it converts.
#pragma once

#include <string>
#include <string_view>

#include "base/expected.h"
#include "events/schedule.h"

namespace jostle {

inline constexpr std::uint32_t kScheduleVersion = 1;
inline constexpr std::uint64_t kScheduleLimit = 64ull << 20;  // bytes

std::string write_schedule(const Schedule& s);
// Strict. Errors start with "line N: ".
Expected<Schedule> read_schedule(std::string_view text);

// Errors start with the path.
Expected<Schedule> load_schedule(const std::string& path);
Expected<bool> save_schedule(const std::string& path, const Schedule& s);

}  // namespace jostle
