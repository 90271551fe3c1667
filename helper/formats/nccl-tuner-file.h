// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_TUNER_FILE_H
#define NCCL_TUNER_FILE_H

#include "ns3/nccl-tuner-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief Reads a table of NCCL's example of a tuner plugin (ext-tuner/example), which
 * NCCL_TUNER_CONFIG_FILE names.
 *
 * A rule a line, words separated by commas:
 *
 *     collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff
 *
 * Bytes are those of the whole buffer. -1 stands for any number; the last two may be missing. What
 * follows # is a comment; a first line with these names is skipped. collnet_direct and
 * collnet_chain, which are not simulated, are an error, as is all that the plugin would take for
 * something else.
 *
 * @param path of the file
 * @return its rules
 * @throws InputError with line and field
 */
NcclTunerTable ReadNcclTunerFile(const std::string& path);

} // namespace ns3

#endif // NCCL_TUNER_FILE_H
