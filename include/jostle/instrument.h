/* Included first in instrumented code by jostle_instrument(): the block operations of the C
 * library go through Jostle, which then sees the memory they touch. Nothing for users to call. */
#pragma once

/* As the C library declares them. */
#if defined(__cplusplus)
#define JOSTLE_NOTHROW_ noexcept(true)
extern "C" {
#else
#define JOSTLE_NOTHROW_
#endif
void* memcpy(void*, const void*, __SIZE_TYPE__) JOSTLE_NOTHROW_ __asm__("__tsan_memcpy");
void* memmove(void*, const void*, __SIZE_TYPE__) JOSTLE_NOTHROW_ __asm__("__tsan_memmove");
void* memset(void*, int, __SIZE_TYPE__) JOSTLE_NOTHROW_ __asm__("__tsan_memset");
#undef JOSTLE_NOTHROW_
#if defined(__cplusplus)
}
#endif
