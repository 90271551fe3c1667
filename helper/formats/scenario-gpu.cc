// SPDX-License-Identifier: GPL-2.0-only
#include "scenario-gpu.h"

#include "input-error.h"

#include "ns3/gpu-cluster-helper.h"
#include "ns3/uinteger.h"

#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

constexpr uint32_t MOST_SWITCH_PLANES = 18;
constexpr uint32_t MOST_GPUS_OF_DOMAIN = 1 << 16;
constexpr uint64_t MOST_CREDIT_BUFFER = 2 << 20; // 16-bit counters of 64 B blocks
constexpr uint64_t MOST_FRAME_PAYLOAD = 64 << 10;

} // namespace

ScaleUpConfig
ReadScaleUp(const JsonValue& value)
{
    JsonReader reader(value, "gpu.scaleUp");
    ScaleUpConfig scaleUp;
    reader.ReadName("type", scaleUp.type, {"nvswitch", "mesh", "none"});
    reader.Read("planes", scaleUp.planes, 1, MOST_SWITCH_PLANES);
    reader.Read("domainSize", scaleUp.domainSize, 0, MOST_GPUS_OF_DOMAIN);
    reader.ReadName("flowControl", scaleUp.flowControl, {"credits", "pfc"});
    reader.ReadBytes("creditBuffer", scaleUp.creditBuffer, 0, MOST_CREDIT_BUFFER);
    reader.Read("multicast", scaleUp.multicast);
    if (reader.Find("framePayload"))
    {
        scaleUp.framePayload = 0;
        reader.ReadBytes("framePayload", *scaleUp.framePayload, 1, MOST_FRAME_PAYLOAD);
    }
    reader.RejectUnknownKeys();
    if (scaleUp.type != "nvswitch" && scaleUp.planes > 1)
    {
        throw InputError(reader.Place("planes"),
                         std::to_string(scaleUp.planes) + " planes of type " + scaleUp.type,
                         "switch planes only where type is nvswitch");
    }
    return scaleUp;
}

nlohmann::ordered_json
ToJson(const ScaleUpConfig& scaleUp)
{
    nlohmann::ordered_json json{{"type", scaleUp.type},
                                {"planes", scaleUp.planes},
                                {"domainSize", scaleUp.domainSize},
                                {"flowControl", scaleUp.flowControl},
                                {"creditBuffer", scaleUp.creditBuffer},
                                {"multicast", scaleUp.multicast}};
    if (scaleUp.framePayload)
    {
        json["framePayload"] = *scaleUp.framePayload;
    }
    return json;
}

void
Apply(const ScaleUpConfig& scaleUp, GpuClusterHelper& gpus)
{
    gpus.SetScaleUpType(scaleUp.type == "mesh"   ? ScaleUpType::MESH
                        : scaleUp.type == "none" ? ScaleUpType::NONE
                                                 : ScaleUpType::SWITCH);
    gpus.SetPlanes(scaleUp.planes);
    gpus.SetDomainSize(scaleUp.domainSize);
    gpus.SetScaleUpFlowControl(scaleUp.flowControl == "pfc"
                                   ? FabricNetDevice::FLOW_CONTROL_PFC
                                   : FabricNetDevice::FLOW_CONTROL_CREDITS);
    gpus.SetCreditBuffer(scaleUp.creditBuffer);
    gpus.SetMulticast(scaleUp.multicast);
    if (scaleUp.framePayload)
    {
        gpus.SetScaleUpPortAttribute("FramePayload", UintegerValue(*scaleUp.framePayload));
    }
}

} // namespace ns3
