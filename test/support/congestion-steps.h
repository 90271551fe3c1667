// SPDX-License-Identifier: GPL-2.0-only
#ifndef CONGESTION_STEPS_H
#define CONGESTION_STEPS_H

/**
 * @file
 * @brief Steps a congestion control through sequences of signals that an independent script has
 * written down, together with what must come of each of them.
 *
 * Lines of such a file, values separated by commas:
 *
 *     sequence,NAME,TYPEID
 *     attribute,NAME,VALUE
 *     facts,LINE_RATE_BPS,MTU_BYTES,FRAME_BYTES,BASE_RTT_NS
 *     start,RATE_BPS,WINDOW_BYTES
 *     ack,NOW_NS,ACKED,IN_FLIGHT,RTT_NS,ENDPOINT_NS,ECN,HOPS,RATE_BPS,WINDOW_BYTES
 *     nak,NOW_NS,RATE_BPS,WINDOW_BYTES
 *     timeout,NOW_NS,RATE_BPS,WINDOW_BYTES
 *
 * The last two values of a line are the expected state after it, unrounded.
 */

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-congestion-ops.h"
#include "ns3/string.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/// Largest relative difference to the script's exact numbers.
constexpr double STEP_TOLERANCE = 1e-11;

class CongestionSteps
{
  public:
    /// Checks all sequences. @param file in test/data
    void Check(const std::string& file)
    {
        std::ifstream input(std::string(AI_FABRIC_SOURCE_DIR) + "/test/data/" + file);
        ASSERT_TRUE(input) << file;
        std::string line;
        while (std::getline(input, line))
        {
            std::vector<std::string> fields = Split(line);
            m_where = file + ", " + m_sequence + ": " + line;
            Take(fields);
            if (testing::Test::HasFailure())
            {
                return; // what follows is wrong as well
            }
        }
    }

    /// @return sequences and signals that were checked
    uint32_t GetSequences() const
    {
        return m_sequences;
    }

    /// @return answers, NAKs and timeouts
    uint32_t GetSignals() const
    {
        return m_signals;
    }

  private:
    static std::vector<std::string> Split(const std::string& line)
    {
        std::vector<std::string> fields;
        std::istringstream stream(line);
        std::string field;
        while (std::getline(stream, field, ','))
        {
            fields.push_back(field);
        }
        return fields;
    }

    static int64_t Ns(const std::string& nanoseconds)
    {
        return NanoSeconds(std::stoll(nanoseconds)).GetTimeStep();
    }

    void Take(const std::vector<std::string>& f)
    {
        if (f[0] == "sequence")
        {
            m_sequence = f[1];
            ++m_sequences;
            m_factory = ObjectFactory(f[2]);
        }
        else if (f[0] == "attribute")
        {
            m_factory.Set(f[1], StringValue(f[2]));
        }
        else if (f[0] == "facts")
        {
            m_state = {};
            m_state.lineRateBps = std::stod(f[1]);
            m_state.mtuBytes = static_cast<uint32_t>(std::stoul(f[2]));
            m_state.frameBytes = static_cast<uint32_t>(std::stoul(f[3]));
            m_state.baseRttSteps = Ns(f[4]);
        }
        else if (f[0] == "start")
        {
            m_ops = m_factory.Create<RdmaCongestionOps>()->Fork();
            m_ops->Init(m_state, 0);
            Expect(f);
        }
        else
        {
            Signal(f);
            ++m_signals;
            Expect(f);
        }
    }

    void Signal(const std::vector<std::string>& f)
    {
        RdmaAckSignal signal{};
        signal.now = Ns(f[1]);
        if (f[0] == "nak")
        {
            m_ops->NakReceived(m_state, signal.now);
            return;
        }
        if (f[0] == "timeout")
        {
            m_ops->TimedOut(m_state, signal.now);
            return;
        }
        ASSERT_EQ(f[0], "ack");
        signal.ackedBytes = std::stoull(f[2]);
        signal.inFlightBytes = std::stoull(f[3]);
        signal.rttSteps = Ns(f[4]);
        signal.endpointSteps = Ns(f[5]);
        signal.ecnEcho = f[6] == "1";
        signal.hops = static_cast<uint8_t>(std::stoul(f[7]));
        m_ops->Acked(m_state, signal);
    }

    void Expect(const std::vector<std::string>& f) const
    {
        double rate = std::stod(f[f.size() - 2]);
        double window = std::stod(f[f.size() - 1]);
        EXPECT_NEAR(m_state.rateBps, rate, rate * STEP_TOLERANCE) << m_where;
        // A window is whole bytes, and one in doubt (within a thousandth) may be either.
        EXPECT_NEAR(static_cast<double>(m_state.windowBytes), std::floor(window + 0.001), 0.002)
            << m_where;
    }

    std::string m_where;
    std::string m_sequence;
    ObjectFactory m_factory;
    Ptr<RdmaCongestionOps> m_ops;
    RdmaRateState m_state;
    uint32_t m_sequences{0};
    uint32_t m_signals{0};
};

} // namespace ns3

#endif // CONGESTION_STEPS_H
