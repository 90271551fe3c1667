# SPDX-License-Identifier: GPL-2.0-only

include(${CMAKE_CURRENT_LIST_DIR}/ai-fabric-ns3.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/ai-fabric-targets.cmake)
