// SPDX-License-Identifier: GPL-2.0-only
#include "int-steps.h"

#include <fstream>
#include <sstream>

namespace ns3
{

namespace
{

/// Takes the fields of a line one by one.
class Fields
{
  public:
    explicit Fields(const std::string& line)
        : m_line(line)
    {
    }

    std::string Next()
    {
        std::string field;
        std::getline(m_line, field, ',');
        return field;
    }

    int64_t NextInteger()
    {
        return std::stoll(Next());
    }

  private:
    std::istringstream m_line;
};

IntStep
ReadStep(Fields& fields)
{
    IntStep step;
    step.now = fields.NextInteger();
    step.rtt = fields.NextInteger();
    step.ackedThrough = fields.NextInteger();
    step.sentThrough = fields.NextInteger();
    step.telemetry.digest = static_cast<uint16_t>(fields.NextInteger());
    int64_t hops = fields.NextInteger();
    step.hasTelemetry = hops >= 0;
    step.telemetry.telemetryFormat =
        step.telemetry.digest > 0 ? TelemetryFormat::PINT : TelemetryFormat::HPCC;
    for (int64_t i = 0; i < hops; ++i)
    {
        IntHop hop;
        hop.switchId = static_cast<uint32_t>(fields.NextInteger());
        hop.egressPort = static_cast<uint32_t>(fields.NextInteger());
        hop.txBytes = fields.NextInteger();
        hop.queueBytes = fields.NextInteger();
        hop.time = fields.NextInteger();
        hop.bitsPerSecond = fields.NextInteger();
        step.telemetry.telemetry.push_back(hop);
    }
    for (double& value : step.expected)
    {
        value = std::stod(fields.Next());
    }
    return step;
}

} // namespace

std::vector<IntCase>
ReadIntCases(const std::string& file)
{
    std::ifstream in(AI_FABRIC_SOURCE_DIR "/test/data/" + file);
    EXPECT_TRUE(in) << file;
    std::vector<IntCase> cases;
    std::string line;
    while (std::getline(in, line))
    {
        Fields fields(line);
        std::string kind = fields.Next();
        if (kind == "case")
        {
            cases.emplace_back();
            cases.back().name = fields.Next();
            cases.back().type = fields.Next();
        }
        else if (kind == "attribute")
        {
            std::string name = fields.Next();
            cases.back().attributes[name] = fields.Next();
        }
        else if (kind == "given")
        {
            RdmaRateState& state = cases.back().state;
            state.lineRateBps = static_cast<double>(fields.NextInteger());
            state.mtuBytes = static_cast<uint32_t>(fields.NextInteger());
            state.frameBytes = static_cast<uint32_t>(fields.NextInteger());
            state.baseRttSteps = fields.NextInteger();
        }
        else
        {
            EXPECT_EQ(kind, "step");
            cases.back().steps.push_back(ReadStep(fields));
        }
    }
    return cases;
}

IntSender::IntSender(const IntCase& c)
    : state(c.state)
{
    ObjectFactory factory(c.type);
    for (const auto& [name, value] : c.attributes)
    {
        factory.Set(name, StringValue(value));
    }
    ops = factory.Create<RdmaCongestionOps>()->Fork();
    ops->Init(state, 0);
}

void
IntSender::Answer(const IntStep& step)
{
    RdmaAckSignal signal{};
    signal.now = step.now;
    signal.rttSteps = step.rtt;
    signal.ackedThrough = step.ackedThrough;
    signal.sentThrough = step.sentThrough;
    signal.telemetry = step.hasTelemetry ? &step.telemetry : nullptr;
    ops->Acked(state, signal);
}

} // namespace ns3
