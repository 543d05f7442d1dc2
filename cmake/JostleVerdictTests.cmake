# jostle_verdict_tests(): the cases tests/verdict/**.cc and tests/zoo/**.cc, compiled with each
# compiler whose instrumentation we support, into one executable verdict_COMPILER each. For every
# folder of cases and every backend, ctest runs
#
#   verdict/COMPILER/BACKEND/FOLDER    verdict_COMPILER --dir FOLDER --backend BACKEND
#   verdict/gcc/check/FOLDER           verdict_gcc --dir FOLDER --check
#
# where FOLDER is relative to tests/. Adding a case is adding a file. __FILE__ in a case is its path
# from the top of the repository, tests/verdict/pass/mutex/name.cc.

# Compiled and run with clang 14 too: what depends on the compiler, not the rest.
set(JOSTLE_CLANG14_FOLDERS verdict/pass/atomic verdict/fail/atomic verdict/pass/race verdict/fail/race)

# The cases rely on assert; they contain bugs on purpose, so warnings are of no use.
set(JOSTLE_CASE_FLAGS -UNDEBUG -w "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

function(jostle_verdict_tests)
  set(root "${PROJECT_SOURCE_DIR}/tests")
  file(GLOB_RECURSE cases CONFIGURE_DEPENDS "${root}/verdict/*.cc" "${root}/zoo/*.cc")
  # What no number of executions fit for a test would find.
  list(FILTER cases EXCLUDE REGEX "/zoo/hard/")
  file(GLOB harness CONFIGURE_DEPENDS "${root}/support/case*.cc")
  if(NOT cases OR NOT harness)
    message(STATUS "No verdict tests: tests/support/case_main.cc or the cases are missing")
    return()
  endif()

  # The harness itself is not under test.
  add_library(verdict_harness OBJECT ${harness})
  jostle_own_code(verdict_harness)
  target_include_directories(verdict_harness PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(verdict_harness PRIVATE JOSTLE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

  _jostle_compiler_name(main)
  _jostle_verdict_main(${main} "${cases}")
  if(JOSTLE_SANITIZE OR JOSTLE_COVERAGE)
    return()  # those builds are about Jostle, not about the compilers
  endif()
  if(NOT main STREQUAL "clang19")
    _jostle_verdict_clang(19 "${cases}")
  endif()
  if(NOT main STREQUAL "clang14")
    set(pattern ${JOSTLE_CLANG14_FOLDERS})
    list(JOIN pattern "|" pattern)
    list(FILTER cases INCLUDE REGEX "^${root}/(${pattern})/")
    _jostle_verdict_clang(14 "${cases}")
  endif()
endfunction()

function(_jostle_compiler_name out)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(${out} gcc PARENT_SCOPE)
  else()
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
    set(${out} clang${major} PARENT_SCOPE)
  endif()
endfunction()

# The compiler of this build.
function(_jostle_verdict_main compiler cases)
  add_executable(verdict_${compiler} ${cases})
  jostle_instrument(verdict_${compiler})
  target_compile_options(verdict_${compiler} PRIVATE ${JOSTLE_CASE_FLAGS})
  _jostle_verdict_finish(${compiler} "${cases}")
endfunction()

# Another compiler with the same C++ library: its objects, linked by the compiler of this build.
function(_jostle_verdict_clang major cases)
  find_program(JOSTLE_CLANG${major} clang++-${major})
  if(NOT JOSTLE_CLANG${major} OR NOT cases)
    message(STATUS "No verdict tests with clang ${major}: clang++-${major} or its cases are missing")
    return()
  endif()
  jostle_instrument_flags(Clang instrument)
  set(objects "")
  foreach(case ${cases})
    cmake_path(RELATIVE_PATH case BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE name)
    set(object "${CMAKE_CURRENT_BINARY_DIR}/clang${major}/${name}.o")
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${object}"
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${JOSTLE_CLANG${major}}" -std=c++20 -O2 -fPIE
              ${instrument} ${JOSTLE_CASE_FLAGS}
              "-I${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/include"
              -MMD -MF "${object}.d" -MT "${object}" -c "${case}" -o "${object}"
      DEPENDS "${case}" DEPFILE "${object}.d"
      COMMENT "Compiling tests/${name} with clang ${major}" VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  add_executable(verdict_clang${major} ${objects})
  set_target_properties(verdict_clang${major} PROPERTIES LINKER_LANGUAGE CXX)
  _jostle_verdict_finish(clang${major} "${cases}")
endfunction()

function(_jostle_verdict_finish compiler cases)
  target_compile_features(verdict_${compiler} PRIVATE cxx_std_20)
  target_include_directories(verdict_${compiler} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(verdict_${compiler} PRIVATE verdict_harness jostle::jostle)

  set(folders "")
  foreach(case ${cases})
    cmake_path(GET case PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND folders "${folder}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    foreach(backend fibers threads)
      set(test verdict/${compiler}/${backend}/${folder})
      add_test(NAME ${test} COMMAND verdict_${compiler} --dir ${folder} --backend ${backend})
      set_tests_properties(${test} PROPERTIES TIMEOUT 600 LABELS verdict)
    endforeach()
    # Systematically, too: once is enough, since only the search differs.
    if(compiler STREQUAL "gcc")
      set(test verdict/${compiler}/check/${folder})
      add_test(NAME ${test} COMMAND verdict_${compiler} --dir ${folder} --check)
      set_tests_properties(${test} PROPERTIES TIMEOUT 600 LABELS verdict)
    endif()
  endforeach()
endfunction()
