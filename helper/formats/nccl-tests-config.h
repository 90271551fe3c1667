// SPDX-License-Identifier: GPL-2.0-only
#ifndef NCCL_TESTS_CONFIG_H
#define NCCL_TESTS_CONFIG_H

#include "input-error.h"

#include "ns3/collective-request.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * @ingroup ai-fabric
 * @brief The programs of NVIDIA's nccl-tests: their options, how each one counts, and what it
 * prints. (Facts of github.com/NVIDIA/nccl-tests, version 2.19.6: src/common.cu and the file of
 * each test, doc/PERFORMANCE.md.)
 */

/// @param operation an operation
/// @return input and output may be one memory; see CollectiveRequest
bool CanBeInPlace(CollectiveOperation operation);

/// One of the programs.
struct NcclTest
{
    const char* name; ///< for example all_reduce_perf
    CollectiveOperation operation;
    const char* algorithm; ///< that the test itself is; empty: NCCL chooses
    bool divides;          ///< the count is that of a rank's block, cut to whole 16 bytes
    const char* description;
};

/// @return all of them
const std::vector<NcclTest>& GetNcclTests();

/// @return their names
std::vector<std::string> GetNcclTestNames();

/// @param name of a program @return it, or null
const NcclTest* FindNcclTest(const std::string& name);

/// @return names of reductions: what they compute is all the same to the network
const std::vector<std::string>& GetNcclReductionNames();

/// @return names of element types: nccl-tests' own, and this program's where they differ
std::vector<std::string> GetNcclTypeNames();

/// @param name of an element type @return its bytes; 0: no such type
uint32_t GetNcclTypeBytes(const std::string& name);

/// Whether input and output are one memory.
enum class NcclTestPlace : uint8_t
{
    BOTH,         ///< one after the other, as the programs do
    OUT_OF_PLACE, ///< only the left half of the columns
    IN_PLACE,     ///< only the right one
};

/// What a program was called with; the initial values are its defaults.
struct NcclTestOptions
{
    std::string test{"all_reduce_perf"};
    uint32_t processes{0};           ///< mpirun's -np; 0: as many as it takes for all ranks
    uint32_t threads{1};             ///< -t
    uint32_t gpus{0};                ///< -g, of each thread; 0: all ranks are those of the job
    uint64_t minBytes{32U << 20};    ///< -b
    uint64_t maxBytes{32U << 20};    ///< -e
    uint64_t stepBytes{1U << 20};    ///< -i
    uint32_t stepFactor{1};          ///< -f; 1: steps of stepBytes
    uint32_t iterations{20};         ///< -n
    uint32_t warmUp{1};              ///< -w
    uint32_t check{1};               ///< -c
    uint32_t average{1};             ///< -a: time of rank 0, mean, least, most
    std::string dataType{"float"};   ///< -d
    std::string reduction{"sum"};    ///< -o
    int32_t root{0};                 ///< -r; -1: all ranks, one after the other
    std::vector<uint64_t> sizes;     ///< instead of -b -e -i -f
    uint64_t repeatUpTo{UINT64_MAX}; ///< larger sizes: one iteration, no warm-up
    NcclTestPlace place{NcclTestPlace::BOTH};
};

/**
 * Reads a command line such as "all_reduce_perf -b 8 -e 1G -f 2 -g 8", with or without
 * "mpirun -np N" and the path of the program in front, or the options alone. What has no meaning in
 * a simulation is refused unless it asks for nothing.
 * @param text the words
 * @param place for messages
 * @param options changed by what the words say
 */
void ParseNcclTestArguments(const std::string& text,
                            const InputPlace& place,
                            NcclTestOptions& options);

/**
 * @param text a size as nccl-tests reads it, "8", "128M", "1G" (powers of 1024), or one with this
 * program's units
 * @param place for messages
 * @return bytes
 */
uint64_t ParseNcclSize(const std::string& text, const InputPlace& place);

/// @param options of a test @return its sizes, in order
std::vector<uint64_t> GetNcclTestSizes(const NcclTestOptions& options);

/// Refuses what contradicts itself. @param options of a test @param place for messages
void CheckNcclTestOptions(const NcclTestOptions& options, const InputPlace& place);

/// A line of the table before anything is measured.
struct NcclTestSize
{
    uint64_t bytes;    ///< that it prints: of the larger buffer
    uint64_t elements; ///< that it prints as count: what NCCL is called with
    uint64_t count;    ///< elements of the whole buffer, for CollectiveRequest
};

/**
 * @param test a program
 * @param size asked for, bytes
 * @param typeBytes of an element
 * @param ranks of the communicator
 * @return what comes of it
 */
NcclTestSize MakeNcclTestSize(const NcclTest& test,
                              uint64_t size,
                              uint32_t typeBytes,
                              uint32_t ranks);

/// Both bandwidths, bytes a second.
struct NcclTestBandwidth
{
    double algorithm;
    double bus;
};

/**
 * @param test a program
 * @param size its line
 * @param typeBytes of an element
 * @param ranks of the communicator
 * @param seconds of an iteration
 * @return what it prints: 0 where no time passed
 */
NcclTestBandwidth GetNcclTestBandwidth(const NcclTest& test,
                                       const NcclTestSize& size,
                                       uint32_t typeBytes,
                                       uint32_t ranks,
                                       double seconds);

} // namespace ns3

#endif // NCCL_TESTS_CONFIG_H
