// SPDX-License-Identifier: GPL-2.0-only
#ifndef INT_STEPS_H
#define INT_STEPS_H

/**
 * @file
 * @brief Answers with telemetry, and what congestion control should make of them, as files of
 * test/data/ have them.
 */

#include "fabric-fixture.h"

#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-ops.h"

#include <array>
#include <map>

namespace ns3
{

/// One answer, and four numbers that are to come of it.
struct IntStep
{
    int64_t now{0};           ///< time steps
    int64_t rtt{0};           ///< time steps
    uint64_t ackedThrough{0}; ///< bytes
    uint64_t sentThrough{0};  ///< bytes
    bool hasTelemetry{false};
    SwitchHeader telemetry;
    std::array<double, 4> expected{};
};

/// A sequence of them, for one object.
struct IntCase
{
    std::string name;
    std::string type; ///< TypeId
    std::map<std::string, std::string> attributes;
    RdmaRateState state; ///< before Init()
    std::vector<IntStep> steps;
};

/// @param file in test/data @return its cases; the format is in the script that writes it
std::vector<IntCase> ReadIntCases(const std::string& file);

/// The object of a case, and the state that it sets.
struct IntSender
{
    explicit IntSender(const IntCase& c);
    void Answer(const IntStep& step);

    Ptr<RdmaCongestionOps> ops;
    RdmaRateState state;
};

} // namespace ns3

#endif // INT_STEPS_H
