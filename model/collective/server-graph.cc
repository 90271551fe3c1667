// SPDX-License-Identifier: GPL-2.0-only
#include "server-graph.h"

namespace ns3
{

ServerGraph
ServerGraph::Select(const std::vector<uint32_t>& gpus) const
{
    ServerGraph graph;
    graph.switched = switched;
    for (uint32_t from : gpus)
    {
        graph.gpuPaths.emplace_back();
        graph.gpuGBps.emplace_back();
        graph.nicPaths.push_back(nicPaths.at(from));
        for (uint32_t to : gpus)
        {
            graph.gpuPaths.back().push_back(gpuPaths.at(from).at(to));
            graph.gpuGBps.back().push_back(gpuGBps.at(from).at(to));
        }
    }
    return graph;
}

ServerGraph
ServerGraph::Switched(uint32_t gpus, uint32_t nics, double gbps)
{
    ServerGraph graph;
    graph.gpuPaths.assign(gpus, std::vector<ServerPath>(gpus, ServerPath::NVL));
    graph.gpuGBps.assign(gpus, std::vector<double>(gpus, gbps));
    graph.nicPaths.assign(gpus, std::vector<ServerPath>(nics, ServerPath::SYS));
    for (uint32_t g = 0; g < gpus; g++)
    {
        for (uint32_t n = 0; n < nics; n++)
        {
            bool near = nics >= gpus ? n * gpus / nics == g : g * nics / gpus == n;
            graph.nicPaths[g][n] = near ? ServerPath::PIX : ServerPath::SYS;
        }
    }
    return graph;
}

} // namespace ns3
