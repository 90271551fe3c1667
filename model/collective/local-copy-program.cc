// SPDX-License-Identifier: GPL-2.0-only
#include "local-copy-program.h"

#include "ns3/assert.h"

namespace ns3
{

namespace
{

/// One copy, if there is something to copy.
class LocalCopySteps : public StepSource
{
  public:
    explicit LocalCopySteps(uint64_t bytes)
        : m_bytes(bytes)
    {
    }

    bool Next(ProgramStep& step) override
    {
        if (m_bytes == 0)
        {
            return false;
        }
        step = ProgramStep();
        step.source.buffer = ProgramBuffer::INPUT;
        step.destination.buffer = ProgramBuffer::OUTPUT;
        step.bytes = m_bytes;
        m_bytes = 0;
        return true;
    }

  private:
    uint64_t m_bytes;
};

} // namespace

LocalCopyProgram::LocalCopyProgram(const CollectiveRequest& request)
    : m_bytes(request.inPlace ? 0 : request.GetBytes())
{
    NS_ASSERT_MSG(!request.transfers, "LocalCopyProgram: a list of transfers is no copy");
}

uint32_t
LocalCopyProgram::GetChannels() const
{
    return 1;
}

uint32_t
LocalCopyProgram::GetThreads(uint32_t) const
{
    return 1;
}

std::unique_ptr<StepSource>
LocalCopyProgram::Open(uint32_t, uint32_t) const
{
    return std::make_unique<LocalCopySteps>(m_bytes);
}

} // namespace ns3
