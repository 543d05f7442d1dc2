# How Jostle's own sources are compiled: jostle_own_code(target) for libraries, tools and unit
# tests, and the sanitizers, coverage and compiler cache of this build.

# Sets warnings and visibility, and opens the internal headers ("sched/strategy.h"), which users of
# the libraries do not get to see.
function(jostle_own_code target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                               "${PROJECT_SOURCE_DIR}/include")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wshadow;-fvisibility=hidden>
    $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
    # Sets of threads are counted at every decision; every machine with FSGSBASE has it.
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-mpopcnt>
    $<$<AND:$<BOOL:${JOSTLE_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>
    # The runtime serves the hooks that -fsanitize=thread plants, so it must not contain any, even
    # where the surrounding project has the flag in CMAKE_CXX_FLAGS.
    $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize=thread>
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include \"${PROJECT_SOURCE_DIR}/src/base/own_object.h\">")
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# Directory-wide, because every executable has to be linked with them.
if(JOSTLE_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The checks hide from gcc what it needs to see that a variable has a value.
    add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Wno-maybe-uninitialized>)
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${JOSTLE_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize-recover=all>
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${JOSTLE_SANITIZE})
endif()
# Jostle's own heap and fibers and AddressSanitizer's do not go together: such a build has the unit
# tests and the jostle command, but no program that executes anything under Jostle.
set(JOSTLE_CAN_EXECUTE ON)
if(JOSTLE_SANITIZE MATCHES "address")
  set(JOSTLE_CAN_EXECUTE OFF)
endif()
if(JOSTLE_COVERAGE)
  # Not --coverage, which no later option of a target takes back: see jostle_instrument().
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fprofile-arcs>
                      $<$<COMPILE_LANGUAGE:C,CXX>:-ftest-coverage>)
  add_link_options(--coverage)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(JOSTLE_CCACHE ccache)
  if(JOSTLE_CCACHE)
    # Sources are named by their whole paths, so that it does not matter in which folder they are
    # compiled: the package tests find what this build has compiled.
    set(CMAKE_C_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_NOHASHDIR=1 "${JOSTLE_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_C_COMPILER_LAUNCHER}")
  endif()
endif()
