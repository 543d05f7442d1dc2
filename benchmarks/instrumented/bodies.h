// Small concurrent programs in ordinary code.
#pragma once

namespace jostle_bench {

void three_threads_two_locks();    // 3 threads, 2 x lock, increment, unlock each
void three_threads_three_locks();  // the same, 3 x
void three_threads_four_locks();   // 4 x
void two_threads_ten_locks();      // 2 threads, 10 x lock, unlock each
void allocating_threads();         // 2 threads exchanging heap blocks
void pointing_threads();           // 2 threads, kPoints x jostle_point() each
void counting_threads();           // 2 threads, kPoints x atomic increment each

inline constexpr int kPoints = 4000;

// 2 threads that write to g_accessed half of g_accesses times each.
void two_threads_that_access();
inline int g_accesses = 0;
inline volatile int g_accessed = 0;

// Seconds that one of n JOSTLE_POINTs takes.
double points_cost(int n);

}  // namespace jostle_bench
