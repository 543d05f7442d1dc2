# jostle_layer(NAME [EXECUTABLE program] [DEPENDS layer...] [LIBRARIES target...])
#
# Declares the layer src/NAME, from its own CMakeLists.txt:
#   jostle_NAME        the static library of all .cc and .S files below the folder (an INTERFACE
#                      library as long as there are only headers), known to users as jostle::NAME
#   unit_tests_NAME    one GoogleTest executable of its *_test.cc files; unit_tests builds them all
#   program            if given: an executable of the layer's main.cc, in bin/ of the build folder
# *_fuzz.cc files are left to the fuzzing build. DEPENDS names the layers directly below,
# LIBRARIES anything from outside. Adding a file needs no edit.
#
# tools/check-includes reads the same declarations and holds every #include against them.
function(jostle_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXECUTABLE" "DEPENDS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "jostle_layer(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND jostle_ OUTPUT_VARIABLE below)

  set(here "${CMAKE_CURRENT_SOURCE_DIR}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${here}/*.cc" "${here}/*.S")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  if(arg_EXECUTABLE)
    list(REMOVE_ITEM sources "${here}/main.cc")
  endif()

  set(library jostle_${name})
  if(sources)
    set(scope PUBLIC)
    add_library(${library} STATIC ${sources})
    jostle_own_code(${library})
  else()
    set(scope INTERFACE)
    add_library(${library} INTERFACE)
  endif()
  add_library(jostle::${name} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${library} INTERFACE cxx_std_20)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} ${scope} ${below} ${arg_LIBRARIES})
  if(NOT arg_EXECUTABLE)
    set_property(GLOBAL APPEND PROPERTY JOSTLE_LAYERS ${name})  # these are installed
  endif()

  if(arg_EXECUTABLE AND EXISTS "${here}/main.cc")
    add_executable(${arg_EXECUTABLE} main.cc)
    target_link_libraries(${arg_EXECUTABLE} PRIVATE ${library})
    jostle_own_code(${arg_EXECUTABLE})
    set_target_properties(${arg_EXECUTABLE} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin" EXPORT_NAME command)
  endif()

  if(tests AND JOSTLE_BUILD_TESTS)
    include(GoogleTest)
    add_executable(unit_tests_${name} ${tests})
    target_link_libraries(unit_tests_${name} PRIVATE ${library} GTest::gmock_main)
    jostle_own_code(unit_tests_${name})
    if(NOT TARGET unit_tests)
      add_custom_target(unit_tests)
    endif()
    add_dependencies(unit_tests unit_tests_${name})
    gtest_discover_tests(unit_tests_${name} TEST_PREFIX unit/${name}/
      DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 120)
  endif()
endfunction()
