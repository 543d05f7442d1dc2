/* Included first in instrumented code by jostle_instrument(): functions of the C library that work
 * on blocks and strings go through Jostle, which then sees the memory they touch. Nothing for users
 * to call. (Not those that C++ overloads, such as strchr: the library gives them names itself.) */
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

/* Not declared here: configure scripts ask for some of them by declarations of their own. */
#pragma redefine_extname memcmp jostle_memcmp
#pragma redefine_extname strlen jostle_strlen
#pragma redefine_extname strnlen jostle_strnlen
#pragma redefine_extname strcmp jostle_strcmp
#pragma redefine_extname strncmp jostle_strncmp
#pragma redefine_extname strcpy jostle_strcpy
#pragma redefine_extname strncpy jostle_strncpy
#pragma redefine_extname strcat jostle_strcat
#pragma redefine_extname strncat jostle_strncat
#pragma redefine_extname sprintf jostle_sprintf
#pragma redefine_extname snprintf jostle_snprintf
#pragma redefine_extname vsnprintf jostle_vsnprintf
