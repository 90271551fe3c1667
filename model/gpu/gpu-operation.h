// SPDX-License-Identifier: GPL-2.0-only
#ifndef GPU_OPERATION_H
#define GPU_OPERATION_H

#include "copy-engines.h"
#include "gpu-stream.h"
#include "gpu-work.h"

#include "ns3/ptr.h"

namespace ns3
{

class GpuEndpoint;

/**
 * @file
 * @ingroup ai-fabric
 * @brief What streams and graphs start: kernels and copies as operations.
 */

/// @param gpu that it runs on @param work that it is @return an operation that may be repeated
GpuStream::Operation MakeKernelOperation(Ptr<GpuEndpoint> gpu, const GpuWork& work);

/// @param gpu whose engines copy @param copy what they copy @return an operation that may be
/// repeated
GpuStream::Operation MakeCopyOperation(Ptr<GpuEndpoint> gpu, const GpuCopy& copy);

} // namespace ns3

#endif // GPU_OPERATION_H
