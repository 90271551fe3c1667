// SPDX-License-Identifier: GPL-2.0-only
#ifndef RDMA_SETTINGS_H
#define RDMA_SETTINGS_H

#include "ns3/object-factory.h"
#include "ns3/rdma-stack.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @brief What RdmaHelper and SoftRdmaHelper let a script set: the same for every attachment.
 */
class RdmaSettings
{
  public:
    /// @param name attribute of RdmaNic @param value for all NICs
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of QueuePair @param value the default of all queue pairs
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /// @param factory makes the congestion control of all queue pairs
    void SetCongestionControl(ObjectFactory factory);
    /// @param typeId an RdmaCongestionOps
    void SetCongestionControl(const std::string& typeId);
    /// @param name attribute of the congestion control @param value for all queue pairs
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value);

    /// @param factory makes the recovery from loss of all queue pairs, an RdmaReliability
    void SetReliability(ObjectFactory factory);
    /// @param typeId an RdmaReliability: GoBackN (the default), SelectiveRepeat, ...
    void SetReliability(const std::string& typeId);
    /// @param name attribute of the recovery @param value for all queue pairs
    void SetReliabilityAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param factory makes the host interface of each NIC (see ApplyNicPreset()); without a TypeId:
     * none, the NICs are ideal
     */
    void SetHostInterface(ObjectFactory factory);

  protected:
    RdmaSettings();
    ~RdmaSettings() = default;

    /// @return a stack for a node, with these queue pairs and this congestion control
    Ptr<RdmaStack> MakeStack() const;
    /// @return a NIC with its host interface, without ports
    Ptr<RdmaNic> MakeNic() const;

    /// @return makes the queue pairs
    const ObjectFactory& GetQueuePairFactory() const
    {
        return m_queuePair;
    }

  private:
    ObjectFactory m_nic;
    ObjectFactory m_queuePair;
    ObjectFactory m_congestionControl;
    ObjectFactory m_reliability;
    ObjectFactory m_hostInterface;
};

} // namespace ns3

#endif // RDMA_SETTINGS_H
