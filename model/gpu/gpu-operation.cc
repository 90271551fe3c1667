// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-operation.h"

#include "gpu-endpoint.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

GpuStream::Operation
MakeKernelOperation(Ptr<GpuEndpoint> gpu, const GpuWork& work)
{
    return [gpu, work](GpuStream::Done done) { gpu->GetProcessor()->Start(work, std::move(done)); };
}

GpuStream::Operation
MakeCopyOperation(Ptr<GpuEndpoint> gpu, const GpuCopy& copy)
{
    std::string error = gpu->GetCopyEngines()->Check(*gpu, copy);
    NS_ABORT_MSG_IF(!error.empty(), "GPU " << gpu->GetId() << ": " << error);
    return [gpu, copy](GpuStream::Done done) {
        gpu->GetCopyEngines()->Copy(*gpu, copy, std::move(done));
    };
}

} // namespace ns3
