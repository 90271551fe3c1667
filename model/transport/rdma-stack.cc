// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-stack.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaStack);

namespace
{

/// @param nic a NIC @param device a fabric device
/// @return the index of its port on the device; -1: it has none
int
PortOf(const RdmaNic& nic, Ptr<const FabricNetDevice> device)
{
    for (size_t i = 0; i < nic.GetPorts().size(); ++i)
    {
        auto port = DynamicCast<FabricRdmaPort>(nic.GetPorts()[i]);
        if (port && port->GetDevice() == device)
        {
            return static_cast<int>(i);
        }
    }
    return -1;
}

} // namespace

TypeId
RdmaStack::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaStack")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RdmaStack>();
    return tid;
}

RdmaStack::RdmaStack()
{
    m_pairFactory.SetTypeId(QueuePair::GetTypeId());
}

RdmaStack::~RdmaStack() = default;

void
RdmaStack::DoDispose()
{
    for (Ptr<RdmaNic>& nic : m_nics)
    {
        nic->Dispose();
    }
    m_nics.clear();
    m_ops = nullptr;
    m_reliability = nullptr;
    Object::DoDispose();
}

Ptr<RdmaNic>
RdmaStack::AddNic(Ptr<FabricNetDevice> port, ObjectFactory factory)
{
    Ptr<RdmaNic> nic = factory.Create<RdmaNic>();
    nic->SetDevice(port);
    AddNic(nic);
    return nic;
}

void
RdmaStack::AddNic(Ptr<RdmaNic> nic)
{
    m_nics.push_back(nic);
}

Ptr<RdmaNic>
RdmaStack::GetNic(Ptr<const FabricNetDevice> port) const
{
    for (const Ptr<RdmaNic>& nic : m_nics)
    {
        if (PortOf(*nic, port) >= 0)
        {
            return nic;
        }
    }
    return nullptr;
}

void
RdmaStack::SetQueuePairFactory(ObjectFactory factory)
{
    m_pairFactory = factory;
}

Ptr<QueuePair>
RdmaStack::MakeSample() const
{
    return Make(nullptr);
}

uint32_t
RdmaStack::GetDefaultMtu() const
{
    return MakeSample()->GetMtu();
}

void
RdmaStack::SetCongestionControl(Ptr<RdmaCongestionOps> ops)
{
    m_ops = ops;
}

void
RdmaStack::SetReliability(Ptr<RdmaReliability> reliability)
{
    m_reliability = reliability;
}

Ptr<QueuePair>
RdmaStack::Make(Ptr<CompletionQueue> completions) const
{
    Ptr<QueuePair> qp = m_pairFactory.Create<QueuePair>();
    qp->SetCompletionQueue(completions);
    qp->SetCongestionControl(m_ops);
    qp->SetReliability(m_reliability);
    return qp;
}

Ptr<QueuePair>
RdmaStack::CreateQueuePair(Ptr<FabricNetDevice> port, Ptr<CompletionQueue> completions)
{
    Ptr<RdmaNic> nic = GetNic(port);
    NS_ABORT_MSG_UNLESS(nic, "RdmaStack::CreateQueuePair: the port has no RDMA NIC on this node");
    Ptr<QueuePair> qp = Make(completions);
    nic->Add(qp, static_cast<uint32_t>(PortOf(*nic, port)));
    return qp;
}

Ptr<QueuePair>
RdmaStack::CreateQueuePair(Ptr<RdmaNic> nic, Ptr<CompletionQueue> completions)
{
    Ptr<QueuePair> qp = Make(completions);
    nic->Add(qp, nic->NextBondedPort());
    return qp;
}

} // namespace ns3
