/* Annotations for code under test, in C. All are optional, and do nothing outside a controlled
 * execution. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The program's own check: a finding of kind "assertion" in a controlled execution, an abort
 * elsewhere. */
#define JOSTLE_ASSERT(condition) \
  ((condition) ? (void)0 : jostle_assert_failed(#condition, __FILE__, (unsigned)__LINE__))

/* A place where the schedule may switch threads. */
void jostle_point(void);

/* A place that scripts can refer to (jostle/script.hpp), as at_point(42) or at_point("name"). A
 * call that returns at once where no script runs; then no place to switch threads. */
#define JOSTLE_POINT(number_or_name) jostle_control_point(#number_or_name)

/* Between these two the calling thread is not preempted; it still waits where it must. */
void jostle_seal_begin(void);
void jostle_seal_end(void);

/* A whole program that is run with start-at=jostle_ready is executed from here on, again and again;
 * what came before happens once. */
void jostle_ready(void);

/* 1 inside a controlled execution. */
int jostle_is_controlled(void);

void jostle_control_point(const char* text);

void jostle_assert_failed(const char* condition, const char* file, unsigned line);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
