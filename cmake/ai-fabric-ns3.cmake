# SPDX-License-Identifier: GPL-2.0-only
#
# Finds the installed ns-3. Used by the build and, installed, by find_package(ai-fabric).
# Sets AI_FABRIC_CXX_STANDARD, the language that this ns-3 asks for.

# Debian's libns3-dev exports three programs that are in its package ns3, and CMake insists on them.
if(EXISTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/ns3 AND NOT EXISTS /usr/libexec/ns3)
  message(STATUS "If CMake misses /usr/libexec/ns3/...: apt install ns3")
endif()
find_package(ns3 QUIET)
if(NOT ns3_FOUND)
  message(FATAL_ERROR "ai-fabric needs an installed ns-3, 3.37 or later. On Debian or Ubuntu: "
                      "apt install libns3-dev. For an ns-3 of your own, set CMAKE_PREFIX_PATH.")
endif()

set(ns3_minor 999) # a development version, such as "3-dev", is newer than all
if(ns3_VERSION MATCHES "^3\\.([0-9]+)")
  set(ns3_minor ${CMAKE_MATCH_1})
endif()
if(ns3_minor LESS 37)
  message(FATAL_ERROR "ai-fabric needs ns-3.37 or later; ${ns3_DIR} is ns-${ns3_VERSION}")
elseif(ns3_minor LESS 41)
  set(AI_FABRIC_CXX_STANDARD 17)
elseif(ns3_minor LESS 46)
  set(AI_FABRIC_CXX_STANDARD 20)
else()
  set(AI_FABRIC_CXX_STANDARD 23)
endif()

# ns-3 exports absolute paths of the machine that built it (libgsl.so, Python's headers). Nothing here
# needs them, and one that is missing would stop the build.
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER imported INCLUDE REGEX "^ns3::")
foreach(target IN LISTS imported)
  foreach(property INTERFACE_LINK_LIBRARIES INTERFACE_INCLUDE_DIRECTORIES)
    get_target_property(items ${target} ${property})
    set(present)
    foreach(item IN LISTS items)
      if(item AND (NOT IS_ABSOLUTE "${item}" OR EXISTS "${item}"))
        list(APPEND present "${item}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES ${property} "${present}")
  endforeach()
endforeach()

# link_ns3(target module...): links ns-3 modules by their plain names.
function(link_ns3 target)
  foreach(module IN LISTS ARGN)
    if(TARGET ns3::${module}) # 3.43 and later
      target_link_libraries(${target} PUBLIC ns3::${module})
    elseif(TARGET ns3::lib${module})
      target_link_libraries(${target} PUBLIC ns3::lib${module})
    else()
      message(FATAL_ERROR "${target} needs ns-3's module ${module}, which ${ns3_DIR} does not have")
    endif()
  endforeach()
endfunction()

# Where ns-3 has MPI, so has the module.
if(TARGET ns3::mpi OR TARGET ns3::libmpi)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
