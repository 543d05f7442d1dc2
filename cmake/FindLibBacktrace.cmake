# Finds GCC's libbacktrace: the imported target LibBacktrace::LibBacktrace.
#
# Debian ships it in libgcc-N-dev, inside GCC's private folder: g++ finds it there by itself, clang
# finds neither header nor archive. The folder must not simply become an include directory, since
# it also holds GCC's own stddef.h and intrinsics, so the two headers are copied out of it.

file(GLOB LibBacktrace_hints /usr/lib/gcc/${CMAKE_LIBRARY_ARCHITECTURE}/* /usr/lib/gcc/*/12)
list(SORT LibBacktrace_hints COMPARE NATURAL ORDER DESCENDING)
find_path(LibBacktrace_INCLUDE_DIR backtrace.h HINTS ${LibBacktrace_hints} PATH_SUFFIXES include)
find_library(LibBacktrace_LIBRARY backtrace HINTS ${LibBacktrace_hints})
mark_as_advanced(LibBacktrace_INCLUDE_DIR LibBacktrace_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibBacktrace
  REQUIRED_VARS LibBacktrace_LIBRARY LibBacktrace_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "it comes with GCC: on Debian, install libgcc-12-dev")

if(LibBacktrace_FOUND AND NOT TARGET LibBacktrace::LibBacktrace)
  set(LibBacktrace_headers "${LibBacktrace_INCLUDE_DIR}")
  if(LibBacktrace_INCLUDE_DIR MATCHES "/gcc/")
    set(LibBacktrace_headers "${CMAKE_CURRENT_BINARY_DIR}/libbacktrace")
    foreach(header backtrace.h backtrace-supported.h)
      configure_file("${LibBacktrace_INCLUDE_DIR}/${header}"
                     "${LibBacktrace_headers}/${header}" COPYONLY)
    endforeach()
  endif()
  add_library(LibBacktrace::LibBacktrace UNKNOWN IMPORTED)
  set_target_properties(LibBacktrace::LibBacktrace PROPERTIES
    IMPORTED_LOCATION "${LibBacktrace_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibBacktrace_headers}")
endif()
