// SPDX-License-Identifier: GPL-2.0-only
#ifndef LOCAL_COPY_PROGRAM_H
#define LOCAL_COPY_PROGRAM_H

#include "collective-program.h"
#include "collective-request.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What a communicator of one rank does, whatever the operation: it copies its input to its
 * output, unless they are one.
 */
class LocalCopyProgram : public CollectiveProgram
{
  public:
    /// @param request any but point-to-point and all-to-all-v
    explicit LocalCopyProgram(const CollectiveRequest& request);

    uint32_t GetChannels() const override;
    uint32_t GetThreads(uint32_t rank) const override;
    std::unique_ptr<StepSource> Open(uint32_t rank, uint32_t thread) const override;

  private:
    uint64_t m_bytes;
};

} // namespace ns3

#endif // LOCAL_COPY_PROGRAM_H
