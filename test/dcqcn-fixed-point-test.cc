// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief DCQCN's steady queue and rates against the fixed point of the fluid model: Zhu et al.,
 * "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016, section 3.
 */

#include "long-flows.h"

#include "ns3/congestion-presets.h"

#include <cmath>

using namespace ns3;

namespace
{

/**
 * The fluid model, in packets and seconds. With p the probability of a mark, R a flow's rate, tau
 * the CNP interval, tau' alpha's interval, T the increase timer, B the byte counter, F the times of
 * fast recovery, RAI the additive increase:
 *
 *     dalpha/dt = g / tau' (1 - (1-p)^(tau' R) - alpha)
 *     dRT/dt = -(RT - R) / tau (1 - (1-p)^(tau R)) + RAI (b (1-p)^(F B) + t (1-p)^(F T R))
 *     dR/dt = -R alpha / (2 tau) (1 - (1-p)^(tau R)) + (RT - R) / 2 (b + t)
 *     b = R p / ((1-p)^-B - 1),  t = R p / ((1-p)^(-T R) - 1)
 *
 * At the fixed point all three are 0, and R = C / N for each flow.
 */
struct DcqcnFluidModel
{
    double rate; ///< of a flow, C / N
    double cnpInterval{50e-6};
    double alphaInterval{55e-6};
    double timer{55e-6};
    double byteCounter;
    double fastRecovery{5};
    double rateAi;

    /// @param p a probability of marks @return what is too much for dRT/dt = 0 where dR/dt and
    /// dalpha/dt are: grows with p
    double Excess(double p) const
    {
        double log = std::log1p(-p);
        auto marked = [&](double packets) { return -std::expm1(packets * log); };
        auto increases = [&](double packets) { return rate * p / std::expm1(-packets * log); };
        double alpha = marked(alphaInterval * rate);
        double cuts = marked(cnpInterval * rate) / cnpInterval; // a second
        double byBytes = increases(byteCounter);
        double byTimer = increases(timer * rate);
        double gap = rate * alpha * cuts / (byBytes + byTimer); // RT - R
        double raises = byBytes * std::exp(fastRecovery * byteCounter * log) +
                        byTimer * std::exp(fastRecovery * timer * rate * log);
        return gap * cuts - rateAi * raises;
    }

    /// @return the probability of marks at the fixed point
    double Solve() const
    {
        double low = 1e-9;
        double high = 0.5;
        for (int i = 0; i < 200; ++i)
        {
            double middle = (low + high) / 2;
            (Excess(middle) < 0 ? low : high) = middle;
        }
        return low;
    }

    /// @return the paper's closed form of it, for small p
    double Approximate() const
    {
        double increases = 1 / byteCounter + 1 / (timer * rate); // a packet
        return std::cbrt(rateAi * increases * increases / (alphaInterval * rate * rate));
    }
};

constexpr uint32_t MTU = 1024;
constexpr double FRAME = MTU + LongFlows::FRAME_HEADERS;
constexpr double C = 40e9 / 8 / FRAME; // frames a second

DcqcnFluidModel
PaperModel(uint32_t flows)
{
    DcqcnFluidModel model{};
    model.rate = C / flows;
    model.byteCounter = 10e6 / FRAME;
    model.rateAi = 40e6 / 8 / FRAME;
    return model;
}

/// The closed form is the model's where marks are rare: where the additive increase is small.
TEST(DcqcnFluidModel, ClosedFormIsItsLimit)
{
    DcqcnFluidModel model = PaperModel(2);
    model.rateAi /= 1e6;
    EXPECT_NEAR(model.Approximate(), model.Solve(), 0.01 * model.Solve());
}

/// The paper's parameters. The closed form is compared, for the model itself lets a cut cost too
/// much: it has the gap between target and rate as a mean over time, but what a cut takes from the
/// target is what is left of the gap after the halvings since the cut before. The root of its
/// equation is a fifth below what the closed form and the fabric have. With 8 flows and more this
/// loop has no steady queue: it cycles between an empty one and Kmax.
class DcqcnFixedPoint : public testing::TestWithParam<uint32_t>
{
};

TEST_P(DcqcnFixedPoint, QueueAndRates)
{
    uint32_t n = GetParam();
    CongestionPreset paper = GetCongestionPreset("dcqcn", "paper", DataRate("40Gbps"));
    LongFlows flows("40Gbps", MicroSeconds(1), MTU);
    flows.fixture.rdma.SetCongestionControl(paper.ops);
    flows.fixture.rdma.SetNicAttribute("CnpInterval", TimeValue(MicroSeconds(50)));
    flows.fixture.fabric.SetEcn([](DataRate) { return EcnThresholds{5000, 200000, 0.01}; });
    flows.Start(n, MicroSeconds(100));
    flows.Run(MilliSeconds(250), MilliSeconds(150), MicroSeconds(5));

    double p = PaperModel(n).Approximate();
    double queue = 5000 + p / 0.01 * 195000;
    RecordProperty("queue", std::to_string(flows.GetMeanQueueBytes())); // the manual's table
    EXPECT_NEAR(flows.GetMeanQueueBytes(), queue, 0.1 * queue);
    for (double rate : flows.GetRates())
    {
        EXPECT_NEAR(rate, 40e9 / n, 0.1 * 40e9 / n);
    }
}

INSTANTIATE_TEST_SUITE_P(Flows, DcqcnFixedPoint, testing::Values(2, 3, 4));

} // namespace
