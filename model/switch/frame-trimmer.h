// SPDX-License-Identifier: GPL-2.0-only
#ifndef FRAME_TRIMMER_H
#define FRAME_TRIMMER_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * @brief Packet trimming: where there is no room for a data frame, its headers go on alone.
 */
class FrameTrimmer : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Cuts the payload off a frame for which there was no room, and moves it to the class of
     * trimmed frames.
     * @param frame the frame, its size and class not booked anywhere
     * @return false: it is none that may be trimmed, and was not changed
     */
    bool Trim(FabricFrame& frame);
};

} // namespace ns3

#endif // FRAME_TRIMMER_H
