// SPDX-License-Identifier: GPL-2.0-only
#include "fault-injector.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/quantity.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

using Kind = FaultConfig::Kind;

/// @param fec of a scenario @return its name as an attribute of FabricChannel
std::string
FecName(const std::string& fec)
{
    return fec == "kr4" ? "Kr4" : fec == "kp4" ? "Kp4" : "None";
}

std::string
ProbabilityText(const std::string& name, double probability)
{
    std::ostringstream text;
    text << name << " " << probability;
    return text.str();
}

double
GetDouble(const FabricChannel& cable, const std::string& attribute)
{
    DoubleValue value;
    cable.GetAttribute(attribute, value);
    return value.Get();
}

std::string
ClassesText(uint8_t classes)
{
    std::string text = "pauses classes";
    for (uint32_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        text += classes & (1U << c) ? " " + std::to_string(c) : "";
    }
    return text;
}

/// @param fault some @return it is one of a cable, or of a NIC with one
bool
HasCable(const FaultConfig& fault)
{
    return fault.kind != Kind::SWITCH_REBOOT && fault.kind != Kind::SLOW_GPU;
}

} // namespace

FaultInjector::FaultInjector(const FabricGraph& graph, const FabricNetwork& network)
    : m_graph(graph),
      m_network(network),
      m_holds(graph.GetEdges().size()),
      m_switchHolds(graph.GetVertices().size(), 0)
{
}

void
FaultInjector::SetListener(Listener listener)
{
    m_listener = std::move(listener);
}

void
FaultInjector::SetGpus(const std::vector<Ptr<GpuEndpoint>>& gpus)
{
    m_gpus = gpus;
}

void
FaultInjector::Schedule(const std::vector<FaultConfig>& faults)
{
    m_faults = faults;
    m_lostBefore.resize(faults.size(), 0);
    m_saved.resize(faults.size());
    for (uint32_t f = 0; f < m_faults.size(); ++f)
    {
        Simulator::Schedule(m_faults[f].at, &FaultInjector::Begin, this, f, 1);
    }
}

Time
FaultInjector::GetLastChange() const
{
    Time last;
    for (const FaultConfig& fault : m_faults)
    {
        last = std::max(last, fault.GetEnd().value_or(fault.at));
    }
    return last;
}

void
FaultInjector::Begin(uint32_t index, uint32_t time)
{
    const FaultConfig& fault = m_faults[index];
    if (HasCable(fault))
    {
        m_lostBefore[index] = m_network.channels[fault.edge]->GetLostFrames();
    }
    Tell(index, Change(index, true));
    if (fault.lasts)
    {
        Simulator::Schedule(*fault.lasts, &FaultInjector::End, this, index, time);
    }
}

void
FaultInjector::End(uint32_t index, uint32_t time)
{
    const FaultConfig& fault = m_faults[index];
    std::string what = Change(index, false);
    if (HasCable(fault))
    {
        uint64_t lost = m_network.channels[fault.edge]->GetLostFrames() - m_lostBefore[index];
        what += "; frames lost on the cable = " + std::to_string(lost);
    }
    Tell(index, what);
    if (time < fault.count)
    {
        Simulator::Schedule(fault.period - *fault.lasts,
                            &FaultInjector::Begin,
                            this,
                            index,
                            time + 1);
    }
}

std::string
FaultInjector::Change(uint32_t index, bool begins)
{
    const FaultConfig& fault = m_faults[index];
    switch (fault.kind)
    {
    case Kind::LINK_DOWN:
    case Kind::LINK_FLAP:
        return HoldDown(fault.edge, begins);
    case Kind::ONE_WAY:
        Silence(fault.edge, EndOf(fault.edge, fault.vertex), begins);
        return begins ? "carries nothing" : "carries frames again";
    case Kind::NIC_STOP:
        Silence(fault.edge, 0, begins);
        Silence(fault.edge, 1, begins);
        return begins ? "stopped" : "works again";
    case Kind::SWITCH_REBOOT:
        return HoldSwitch(fault.vertex, begins);
    case Kind::DEGRADED_RATE:
        return SetRate(fault.edge, begins ? fault.rate : m_graph.GetEdges()[fault.edge].rate);
    case Kind::BIT_ERRORS:
        return SetBitErrors(index, begins);
    case Kind::LOSS:
        return SetLoss(index, begins);
    case Kind::SLOW_RECEIVER:
        return SlowDown(index, begins);
    case Kind::PAUSE_STORM:
        if (begins)
        {
            PortOf(fault)->StartPauseStorm(fault.classes);
            return ClassesText(fault.classes);
        }
        PortOf(fault)->StopPauseStorm();
        return "is quiet";
    case Kind::SLOW_GPU:
        return SetClock(index, begins);
    }
    return "";
}

std::string
FaultInjector::SetClock(uint32_t index, bool begins)
{
    const FaultConfig& fault = m_faults[index];
    double clock = begins ? fault.clock : 1;
    m_gpus.at(fault.gpu)->GetProcessor()->SetAttribute("Clock", DoubleValue(clock));
    std::ostringstream os;
    os << "clock at " << clock;
    return os.str();
}

std::string
FaultInjector::HoldDown(uint32_t edge, bool held)
{
    Holds& holds = m_holds[edge];
    holds.down += held ? 1 : -1;
    if (held ? holds.down > 1 : holds.down > 0)
    {
        return "down as before";
    }
    m_network.channels[edge]->SetUp(!held);
    ApplySilence(edge); // whatever coming up means for the directions
    return held ? "down" : "up";
}

void
FaultInjector::Silence(uint32_t edge, uint32_t fromEnd, bool held)
{
    m_holds[edge].silent[fromEnd] += held ? 1 : -1;
    ApplySilence(edge);
}

void
FaultInjector::ApplySilence(uint32_t edge)
{
    const Holds& holds = m_holds[edge];
    for (uint32_t end : {0, 1})
    {
        if (holds.down == 0)
        {
            m_network.channels[edge]->SetDirectionUp(end, holds.silent[end] == 0);
        }
    }
}

std::string
FaultInjector::HoldSwitch(uint32_t vertex, bool held)
{
    uint32_t& holds = m_switchHolds[vertex];
    holds += held ? 1 : -1;
    if (held ? holds > 1 : holds > 0)
    {
        return "down as before";
    }
    m_network.nodes.Get(vertex)->GetObject<FabricSwitch>()->SetRunning(!held);
    return held ? "down" : "up";
}

std::string
FaultInjector::SetRate(uint32_t edge, DataRate rate)
{
    for (uint32_t end : {0, 1})
    {
        EndPort(edge, end)->SetDataRate(rate);
    }
    return FormatDataRate(rate);
}

std::string
FaultInjector::SetBitErrors(uint32_t index, bool begins)
{
    const FaultConfig& fault = m_faults[index];
    FabricChannel& cable = *m_network.channels[fault.edge];
    Saved& saved = m_saved[index];
    if (begins)
    {
        saved.probability = GetDouble(cable, "BitErrorRate");
        StringValue fec;
        cable.GetAttribute("Fec", fec);
        saved.fec = fec.Get();
    }
    double rate = begins ? fault.probability : saved.probability;
    cable.SetAttribute("Fec", StringValue(begins ? FecName(fault.fec) : saved.fec));
    cable.SetAttribute("BitErrorRate", DoubleValue(rate));
    return ProbabilityText("bit error rate", rate) + (begins ? " with FEC " + fault.fec : "");
}

std::string
FaultInjector::SetLoss(uint32_t index, bool begins)
{
    FabricChannel& cable = *m_network.channels[m_faults[index].edge];
    if (begins)
    {
        m_saved[index].probability = GetDouble(cable, "LossRate");
    }
    double rate = begins ? m_faults[index].probability : m_saved[index].probability;
    cable.SetAttribute("LossRate", DoubleValue(rate));
    return ProbabilityText("loss rate", rate);
}

std::string
FaultInjector::SlowDown(uint32_t index, bool begins)
{
    const FaultConfig& fault = m_faults[index];
    FabricNetDevice& port = *PortOf(fault);
    Saved& saved = m_saved[index];
    if (begins)
    {
        DataRateValue rate;
        UintegerValue bytes;
        port.GetAttribute("ReceiveRate", rate);
        port.GetAttribute("ReceiveBufferBytes", bytes);
        saved.rate = rate.Get();
        saved.bytes = bytes.Get();
    }
    if (fault.bufferBytes > 0)
    {
        port.SetAttribute("ReceiveBufferBytes",
                          UintegerValue(begins ? fault.bufferBytes : saved.bytes));
    }
    DataRate rate = begins ? fault.rate : saved.rate;
    port.SetAttribute("ReceiveRate", DataRateValue(rate));
    return rate.GetBitRate() > 0 ? "receives at " + FormatDataRate(rate)
                                 : "receives as fast as its cable";
}

void
FaultInjector::Tell(uint32_t index, const std::string& what)
{
    m_events.push_back({Simulator::Now(), index, what});
    if (m_listener)
    {
        m_listener(m_faults[index], m_events.back());
    }
}

uint32_t
FaultInjector::EndOf(uint32_t edge, uint32_t vertex) const
{
    return m_graph.GetEdges()[edge].a == vertex ? 0 : 1; // in the order of FabricHelper::Install
}

Ptr<FabricNetDevice>
FaultInjector::EndPort(uint32_t edge, uint32_t end) const
{
    return DynamicCast<FabricNetDevice>(m_network.channels[edge]->GetDevice(end));
}

Ptr<FabricNetDevice>
FaultInjector::PortOf(const FaultConfig& fault) const
{
    return EndPort(fault.edge, EndOf(fault.edge, fault.vertex));
}

} // namespace ns3
