// SPDX-License-Identifier: GPL-2.0-only
#ifndef MSCCL_XML_H
#define MSCCL_XML_H

#include "ns3/msccl-algorithm.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief Reads MSCCL's XML: an algorithm as msccl-tools and synthesizers write it.
 *
 * Each function throws InputError, with line, element, attribute, what was found and what is
 * allowed, where the file is not well-formed or the program could not run: an unknown type of step,
 * a place beyond its buffer, a thread block that sends without a peer, a dependency on what is not
 * there or never tells, a cycle of dependencies, sends without receives. Whether the program does
 * what its operation says is CheckProgram()'s business.
 */

/// @param path of the file @return the program
std::shared_ptr<const MscclProgram> ReadMscclXml(const std::string& path);

/// @param text XML @param file name for messages @return the program
std::shared_ptr<const MscclProgram> ParseMscclXml(const std::string& text, const std::string& file);

/// @param path of a file @return the algorithm that runs it, with MSCCL's chunk sizes as attributes
Ptr<MscclAlgorithm> ReadMscclAlgorithm(const std::string& path);

} // namespace ns3

#endif // MSCCL_XML_H
