// SPDX-License-Identifier: GPL-2.0-only
#include "rdma-stack.h"

#include "ns3/abort.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaStack);

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
    Object::DoDispose();
}

Ptr<RdmaNic>
RdmaStack::AddNic(Ptr<FabricNetDevice> port, ObjectFactory factory)
{
    Ptr<RdmaNic> nic = factory.Create<RdmaNic>();
    nic->SetDevice(port);
    m_nics.push_back(nic);
    return nic;
}

Ptr<RdmaNic>
RdmaStack::GetNic(Ptr<const FabricNetDevice> port) const
{
    for (const Ptr<RdmaNic>& nic : m_nics)
    {
        if (nic->GetDevice() == port)
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

uint32_t
RdmaStack::GetDefaultMtu() const
{
    return m_pairFactory.Create<QueuePair>()->GetMtu();
}

void
RdmaStack::SetCongestionControl(Ptr<RdmaCongestionOps> ops)
{
    m_ops = ops;
}

Ptr<QueuePair>
RdmaStack::CreateQueuePair(Ptr<FabricNetDevice> port, Ptr<CompletionQueue> completions)
{
    Ptr<RdmaNic> nic = GetNic(port);
    NS_ABORT_MSG_UNLESS(nic, "RdmaStack::CreateQueuePair: the port has no RDMA NIC on this node");
    Ptr<QueuePair> qp = m_pairFactory.Create<QueuePair>();
    qp->SetCompletionQueue(completions);
    qp->SetCongestionControl(m_ops);
    nic->Add(qp);
    return qp;
}

} // namespace ns3
