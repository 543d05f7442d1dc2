# For projects that test with Jostle. Loaded by find_package(jostle), FetchContent and
# add_subdirectory alike.
#
#   jostle_instrument(target)
#     Compiles the target's sources so that Jostle sees their memory accesses and atomics. Call it
#     on the test and on every library of yours whose interleavings matter; the executable must
#     link jostle::jostle.
#
#   jostle_add_test(name SOURCES file... [LIBRARIES target...])
#     A GoogleTest executable, instrumented, linked with Jostle, each test known to ctest.
#
# The hooks are those of -fsanitize=thread, served by Jostle's runtime and not by libtsan. So the
# flag belongs on the compile line only: on the link line, gcc and clang would add libtsan, and the
# program would have two owners of the same symbols. jostle::jostle therefore ends the link line
# with -fno-sanitize=thread, which also covers a flag that came in through CMAKE_CXX_FLAGS.

# In the source tree, beside this file in a build tree, or where it was installed.
find_file(_JOSTLE_INSTRUMENT_HEADER jostle/instrument.h REQUIRED NO_CACHE NO_DEFAULT_PATH
  PATHS "${CMAKE_CURRENT_LIST_DIR}/../include" "${CMAKE_CURRENT_LIST_DIR}/include"
        "${CMAKE_CURRENT_LIST_DIR}/../../../include"
        "${CMAKE_CURRENT_LIST_DIR}/../../../../include")
set(_JOSTLE_INSTRUMENT_HEADER "${_JOSTLE_INSTRUMENT_HEADER}" CACHE INTERNAL "")

# What jostle_instrument() adds, for a compiler of the given id (GNU or Clang), as a plain list.
function(jostle_instrument_flags compiler_id out)
  # Frame pointers: the stacks of a report are walked at full speed.
  set(flags -fsanitize=thread -g -fno-omit-frame-pointer
    # Blocks and strings: expanded or called without hooks by gcc, and by clang before 19.
    -fno-builtin-memcpy -fno-builtin-memset -fno-builtin-memmove -fno-builtin-memcmp
    -fno-builtin-strlen -fno-builtin-strnlen -fno-builtin-strcmp -fno-builtin-strncmp
    -fno-builtin-strcpy -fno-builtin-strncpy -fno-builtin-strcat -fno-builtin-strncat
    -fno-builtin-sprintf -fno-builtin-snprintf -fno-builtin-vsnprintf
    -include "${_JOSTLE_INSTRUMENT_HEADER}")
  if(compiler_id STREQUAL "GNU")
    # -Wtsan warns of fences, which libtsan does not know, but Jostle does.
    # Identical functions stay apart: a report names the one that was called.
    list(APPEND flags -Wno-tsan -fno-ipa-icf)
  elseif(compiler_id MATCHES "Clang")
    # clang keeps only the write of x++ otherwise: a scheduling point, and a bug, would be lost.
    list(APPEND flags -mllvm -tsan-instrument-read-before-write=1
      # Of a member or an element of a local variable, clang 14 and 19 ask whether *its* address is
      # handed on, not that of the variable: most such accesses would have no hook. If it may not
      # look at uses of addresses at all, it takes all of them to be handed on.
      -mllvm -capture-tracking-max-uses-to-explore=0)
  else()
    message(FATAL_ERROR "Jostle instruments with gcc or clang, not with ${compiler_id}")
  endif()
  set(${out} "${flags}" PARENT_SCOPE)
endfunction()

# gcc with -flto generates code when linking, where -fsanitize=thread is absent: not one hook would
# be left, and every test would pass for lack of anything to schedule.
function(_jostle_refuse_lto target)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  set(reason "")
  foreach(property INTERPROCEDURAL_OPTIMIZATION INTERPROCEDURAL_OPTIMIZATION_${config})
    get_target_property(value ${target} ${property})
    if(value)
      set(reason "its property ${property} is on")
    endif()
  endforeach()
  set(flags "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${config}} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
  foreach(property COMPILE_OPTIONS COMPILE_FLAGS LINK_OPTIONS)
    get_target_property(value ${target} ${property})
    string(APPEND flags " ${value}")
  endforeach()
  # The last of -flto and -fno-lto counts.
  string(REGEX MATCHALL "-f(no-)?lto[a-z0-9=-]*" lto_flags "${flags}")
  list(FILTER lto_flags INCLUDE REGEX "^-f(no-)?lto(=[a-z0-9-]+)?$")
  if(lto_flags)
    list(GET lto_flags -1 last)
    if(NOT last STREQUAL "-fno-lto")
      set(reason "${last} is among its flags")
    endif()
  endif()
  if(reason)
    message(FATAL_ERROR
      "jostle_instrument(${target}): link-time optimisation removes the instrumentation, and "
      "${reason}.\nTurn it off for this target:\n"
      "  set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)\n"
      "  target_compile_options(${target} PRIVATE -fno-lto)")
  endif()
endfunction()

function(jostle_instrument target)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "jostle_instrument(${target}): there is no such target")
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "jostle_instrument(${target}): an INTERFACE library compiles nothing; "
                        "instrument the targets that use it")
  endif()

  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER_ID)
      jostle_instrument_flags("${CMAKE_${language}_COMPILER_ID}" flags)
      list(JOIN flags " " flags)
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:${language}>:SHELL:${flags}>")
    endif()
  endforeach()

  # In Jostle's own sanitizer and coverage builds, which are not about the code under test.
  if(JOSTLE_SANITIZE)
    target_compile_options(${target} PRIVATE -fno-sanitize=${JOSTLE_SANITIZE})
  endif()
  if(JOSTLE_COVERAGE)
    target_compile_options(${target} PRIVATE -fno-profile-arcs -fno-test-coverage)
  endif()

  # Options may still be added after this call, so look when the directory is complete.
  _jostle_refuse_lto(${target})
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _jostle_refuse_lto [[${target}]])")
endfunction()

function(jostle_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "jostle_add_test(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "jostle_add_test(${name}): SOURCES is missing")
  endif()
  if(NOT TARGET GTest::gtest_main)
    find_package(GTest REQUIRED)
  endif()
  include(GoogleTest)

  add_executable(${name} ${arg_SOURCES})
  jostle_instrument(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} jostle::jostle GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST)
endfunction()
