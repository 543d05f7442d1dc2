// Small concurrent programs in ordinary code.
#pragma once

namespace jostle_bench {

void three_threads_two_locks();    // 3 threads, 2 x lock, increment, unlock each
void three_threads_three_locks();  // the same, 3 x
void two_threads_ten_locks();      // 2 threads, 10 x lock, unlock each
void allocating_threads();         // 2 threads exchanging heap blocks
void pointing_threads();           // 2 threads, kPoints x jostle_point() each
void counting_threads();           // 2 threads, kPoints x atomic increment each

inline constexpr int kPoints = 4000;

}  // namespace jostle_bench
