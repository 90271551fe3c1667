// SPDX-License-Identifier: GPL-2.0-only
#include "gpu-mesh-topology.h"

#include "parameter-check.h"

namespace ns3
{

std::string
GpuMeshParameters::Check() const
{
    return ParameterCheck()
        .Range("gpus", gpus, 2, 256)
        .Range("linksPerPair", linksPerPair, 1, 64)
        .Get();
}

FabricGraph
MakeGpuMesh(const GpuMeshParameters& parameters)
{
    const GpuMeshParameters& p = parameters;
    FabricGraph graph;
    for (uint32_t gpu = 0; gpu < p.gpus; gpu++)
    {
        graph.AddHost("gpu" + std::to_string(gpu));
    }
    // By the higher end first: so each GPU's ports lead to the others in ascending order.
    for (uint32_t b = 1; b < p.gpus; b++)
    {
        for (uint32_t cable = 0; cable < b * p.linksPerPair; cable++)
        {
            graph.Connect({cable / p.linksPerPair, b, p.linkRate, p.linkDelay});
        }
    }
    return graph;
}

} // namespace ns3
