# jostle_install_package(): find_package(jostle) from an install tree and from this build tree.
function(jostle_install_package)
  include(CMakePackageConfigHelpers)
  set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/jostle")

  get_property(layers GLOBAL PROPERTY JOSTLE_LAYERS)
  list(TRANSFORM layers PREPEND jostle_ OUTPUT_VARIABLE targets)
  list(APPEND targets jostle_jostle)
  if(TARGET jostle)
    list(APPEND targets jostle)
  endif()
  install(TARGETS ${targets} EXPORT jostleTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  # What the jostle command preloads, and links programs with. It is not for projects to link.
  if(TARGET jostle_preload)
    install(TARGETS jostle_preload LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  endif()
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT jostleTargets NAMESPACE jostle:: DESTINATION "${destination}")
  export(EXPORT jostleTargets NAMESPACE jostle:: FILE "${PROJECT_BINARY_DIR}/jostleTargets.cmake")

  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/jostleConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/jostleConfig.cmake" INSTALL_DESTINATION "${destination}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/jostleConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  configure_file("${PROJECT_SOURCE_DIR}/include/jostle/instrument.h"
                 "${PROJECT_BINARY_DIR}/include/jostle/instrument.h" COPYONLY)
  set(modules JostleInstrument.cmake FindLibBacktrace.cmake)
  foreach(module ${modules})
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${module}" "${PROJECT_BINARY_DIR}/${module}" COPYONLY)
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/${module}" DESTINATION "${destination}")
  endforeach()
  install(FILES "${PROJECT_BINARY_DIR}/jostleConfig.cmake"
                "${PROJECT_BINARY_DIR}/jostleConfigVersion.cmake" DESTINATION "${destination}")
endfunction()
