// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * @brief MSCCL XML: what is read, what it does at any size, and what is refused, with the line.
 */

#include "program-run.h"

#include "ns3/input-error.h"
#include "ns3/msccl-xml.h"
#include "ns3/program-builder.h"
#include "ns3/program-checker.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace ns3;

namespace
{

constexpr uint32_t TYPE_BYTES = 4;
constexpr uint64_t MIB = 1 << 20;

std::string
ExampleOf(const std::string& name)
{
    return std::string(AI_FABRIC_SOURCE_DIR) + "/examples/msccl/" + name + ".xml";
}

std::string
TextOf(const std::string& path)
{
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

CollectiveRequest
RequestOf(const MscclAlgorithm& algorithm, uint64_t bytes)
{
    CollectiveRequest request;
    request.operation = algorithm.GetProgram().operation;
    request.count = bytes / TYPE_BYTES;
    request.typeBytes = TYPE_BYTES;
    request.inPlace = algorithm.GetProgram().inPlace;
    return request;
}

/// Runs a program on symbols. @return what is wrong
std::string
CheckAt(const MscclAlgorithm& algorithm, uint64_t bytes, ProgramTotals* totals = nullptr)
{
    RankLayout layout =
        RankLayout::Regular(1, static_cast<uint32_t>(algorithm.GetProgram().gpus.size()));
    CollectiveRequest request = RequestOf(algorithm, bytes);
    EXPECT_EQ(algorithm.Check(request, layout), "");
    CollectivePlan plan = algorithm.MakePlan(request, layout);
    auto program = algorithm.Emit(request, layout, plan);
    return CheckProgram(*program, request, layout, plan.window, totals);
}

// ---------------------------------------------------------------- the examples

TEST(Examples, DoWhatTheySayAtAnySize)
{
    for (const char* name : {"ring-allreduce-4", "allpairs-allreduce-4", "two-step-alltoall-4"})
    {
        Ptr<MscclAlgorithm> algorithm = ReadMscclAlgorithm(ExampleOf(name));
        EXPECT_EQ(algorithm->GetName(), std::string("msccl:") + name);
        for (uint64_t bytes :
             {uint64_t{0}, uint64_t{16}, 4 * uint64_t{4096}, MIB, 3 * MIB + 16, 40 * MIB + 48})
        {
            EXPECT_EQ(CheckAt(*algorithm, bytes), "") << name << " " << bytes;
        }
    }
}

TEST(Examples, RingSendsItsClosedForm)
{
    // 2 (n - 1) / n S a rank, 2 (n - 1) messages one after the other (small enough for one piece).
    Ptr<MscclAlgorithm> algorithm = ReadMscclAlgorithm(ExampleOf("ring-allreduce-4"));
    ProgramTotals totals;
    EXPECT_EQ(CheckAt(*algorithm, 4096, &totals), "");
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        EXPECT_EQ(totals.Get(rank, MessageWay::PEER).bytes, 6 * 4096 / 4u);
        EXPECT_EQ(totals.Get(rank, MessageWay::PEER).messages, 6u);
    }
    EXPECT_EQ(totals.hops, 6u);
}

TEST(Examples, AllPairsTakesTwoHops)
{
    Ptr<MscclAlgorithm> algorithm = ReadMscclAlgorithm(ExampleOf("allpairs-allreduce-4"));
    ProgramTotals totals;
    EXPECT_EQ(CheckAt(*algorithm, 4096, &totals), "");
    EXPECT_EQ(totals.hops, 2u);
    EXPECT_EQ(totals.Get(0, MessageWay::PEER).bytes, 6 * 1024u);
}

// ---------------------------------------------------------------- sizes

TEST(Sizes, AreThoseOfMsccl)
{
    // msccl.h: with Simple a chunk is 4 of the 8 steps of 512 KiB and a slice 2; with LL a step of
    // 64 KiB, half of which is flags.
    RankLayout layout = RankLayout::Regular(1, 4);
    Ptr<MscclAlgorithm> simple = ReadMscclAlgorithm(ExampleOf("ring-allreduce-4"));
    CollectivePlan plan = simple->MakePlan(RequestOf(*simple, MIB), layout);
    EXPECT_EQ(plan.protocol, CollectiveProtocol::SIMPLE);
    EXPECT_EQ(plan.chunkBytes, 2 * MIB);
    EXPECT_EQ(plan.sliceBytes, MIB);
    EXPECT_EQ(plan.window, 4u);
    EXPECT_EQ(plan.channels, 1u);
    Ptr<MscclAlgorithm> ll = ReadMscclAlgorithm(ExampleOf("allpairs-allreduce-4"));
    plan = ll->MakePlan(RequestOf(*ll, MIB), layout);
    EXPECT_EQ(plan.protocol, CollectiveProtocol::LL);
    EXPECT_EQ(plan.chunkBytes, 32 * 1024u);
    EXPECT_EQ(plan.window, 8u);
}

TEST(Sizes, LargeChunksAreDoneInPieces)
{
    // 40 MiB in 4 chunks of 10 MiB: pieces of 2 MiB, 5 iterations, 2 slices each: 6 * 5 * 2
    // messages.
    Ptr<MscclAlgorithm> algorithm = ReadMscclAlgorithm(ExampleOf("ring-allreduce-4"));
    ProgramTotals totals;
    EXPECT_EQ(CheckAt(*algorithm, 40 * MIB, &totals), "");
    EXPECT_EQ(totals.Get(2, MessageWay::PEER).messages, 60u);
    EXPECT_EQ(totals.Get(2, MessageWay::PEER).bytes, 60 * MIB);
    // 4 * 2.5 MiB: a piece of 2 MiB (2 slices) and one of 0.5 MiB (1): 6 * 3.
    EXPECT_EQ(CheckAt(*algorithm, 10 * MIB, &totals), "");
    EXPECT_EQ(totals.Get(2, MessageWay::PEER).messages, 18u);
}

TEST(Sizes, SmallChunksGoTogether)
{
    // A step over 2 chunks of 64 KiB is one message; of 1 MiB, a message of 2 slices; of 2 MiB and
    // more, each chunk goes on its own.
    Ptr<MscclAlgorithm> algorithm = ReadMscclAlgorithm(ExampleOf("two-step-alltoall-4"));
    ProgramTotals totals;
    for (auto [chunk, messages] :
         std::vector<std::pair<uint64_t, uint64_t>>{{65536, 2 + 1},
                                                    {MIB, 2 + 2},
                                                    {2 * MIB, 2 * 2 + 2 * 2}})
    {
        EXPECT_EQ(CheckAt(*algorithm, 4 * chunk, &totals), "");
        EXPECT_EQ(totals.Get(1, MessageWay::PEER).messages, messages) << chunk;
    }
}

TEST(Sizes, WhatTheProgramIsNotForIsRefused)
{
    Ptr<MscclAlgorithm> algorithm = ReadMscclAlgorithm(ExampleOf("ring-allreduce-4"));
    RankLayout layout = RankLayout::Regular(1, 4);
    CollectiveRequest request = RequestOf(*algorithm, 20);
    EXPECT_EQ(
        algorithm->Check(request, layout),
        "the MSCCL program \"ring-allreduce-4\" divides buffers into 4 chunks, and 5 elements "
        "cannot be");
    EXPECT_EQ(algorithm->RoundUp(20, TYPE_BYTES), 32u);
    request = RequestOf(*algorithm, 32);
    EXPECT_EQ(algorithm->Check(request, RankLayout::Regular(1, 8)),
              "the MSCCL program \"ring-allreduce-4\" is for 4 GPUs, not for 8");
    request.inPlace = true;
    EXPECT_EQ(algorithm->Check(request, layout),
              "the MSCCL program \"ring-allreduce-4\" does not work in place");
    request.inPlace = false;
    request.operation = CollectiveOperation::ALL_GATHER;
    EXPECT_EQ(algorithm->Check(request, layout),
              "the MSCCL program \"ring-allreduce-4\" does all-reduce, not all-gather");
}

// ---------------------------------------------------------------- every type of step

/// A broadcast down a chain of 3, and steps that make no difference, in 2 thread blocks.
const char* const CHAIN =
    "<algo name=\"chain\" proto=\"LL128\" nchannels=\"2\" nchunksperloop=\"1\" ngpus=\"3\" "
    "coll=\"broadcast\" inplace=\"0\" minBytes=\"4\" maxBytes=\"64\">\n"
    " <gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n"
    "  <tb id=\"0\" send=\"1\" recv=\"-1\" chan=\"1\">\n"
    "   <step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"1\" "
    "depid=\"-1\" deps=\"-1\" hasdep=\"1\"/>\n"
    "  </tb>\n"
    "  <tb id=\"1\" send=\"-1\" recv=\"-1\" chan=\"0\">\n"
    "   <step s=\"0\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" cnt=\"0\" "
    "depid=\"0\" deps=\"0\" hasdep=\"0\"/>\n"
    "   <step s=\"1\" type=\"cpy\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" "
    "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
    "  </tb>\n"
    " </gpu>\n"
    " <gpu id=\"1\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n"
    "  <tb id=\"0\" send=\"2\" recv=\"0\" chan=\"1\">\n"
    "   <step s=\"0\" type=\"rcs\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" "
    "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
    "  </tb>\n"
    " </gpu>\n"
    " <gpu id=\"2\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n"
    "  <tb id=\"0\" send=\"-1\" recv=\"1\" chan=\"1\">\n"
    "   <step s=\"0\" type=\"r\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" "
    "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
    "  </tb>\n"
    " </gpu>\n"
    "</algo>\n";

TEST(Format, IsRead)
{
    auto program = ParseMscclXml(CHAIN, "chain.xml");
    EXPECT_EQ(program->name, "chain");
    EXPECT_EQ(program->operation, CollectiveOperation::BROADCAST);
    EXPECT_EQ(program->protocol, CollectiveProtocol::LL128);
    EXPECT_EQ(program->channels, 2u);
    EXPECT_EQ(program->minBytes, 4u);
    EXPECT_EQ(program->maxBytes, 64u);
    ASSERT_EQ(program->gpus.size(), 3u);
    ASSERT_EQ(program->gpus[0].threadBlocks.size(), 2u);
    EXPECT_EQ(program->gpus[0].threadBlocks[0].sendPeer, 1u);
    EXPECT_EQ(program->gpus[0].threadBlocks[0].receivePeer, MscclThreadBlock::NO_PEER);
    EXPECT_EQ(program->gpus[0].threadBlocks[1].steps[0].type, MscclStepType::NOP);
    EXPECT_EQ(program->gpus[0].threadBlocks[1].steps[0].after.thread, 0u);
    Ptr<MscclAlgorithm> algorithm = CreateObject<MscclAlgorithm>();
    algorithm->SetProgram(program);
    EXPECT_EQ(CheckAt(*algorithm, 64), "");
    EXPECT_EQ(algorithm->Check(RequestOf(*algorithm, 68), RankLayout::Regular(1, 3)),
              "the MSCCL program \"chain\" is for 4 to 64 bytes, not for 68");
}

TEST(Format, AnyOrderOfElementsWillDo)
{
    // Thread block 1 of GPU 0 before thread block 0.
    std::string text = CHAIN;
    size_t first = text.find("  <tb id=\"0\" send=\"1\"");
    size_t second = text.find("  <tb id=\"1\"");
    size_t end = text.find(" </gpu>");
    std::string swapped = text.substr(0, first) + text.substr(second, end - second) +
                          text.substr(first, second - first) + text.substr(end);
    auto program = ParseMscclXml(swapped, "chain.xml");
    EXPECT_EQ(program->gpus[0].threadBlocks[0].sendPeer, 1u);
    EXPECT_EQ(program->gpus[0].threadBlocks[1].steps.size(), 2u);
}

// ---------------------------------------------------------------- what is wrong

/// @return the message about a text, or "accepted"
std::string
MessageOf(const std::string& text)
{
    try
    {
        ParseMscclXml(text, "p.xml");
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "accepted";
}

/// @return CHAIN with the first occurrence of a text replaced, behind a mark
std::string
With(const std::string& old, const std::string& text, const std::string& behind = "")
{
    std::string chain = CHAIN;
    size_t from = behind.empty() ? 0 : chain.find(behind);
    size_t at = chain.find(old, from);
    EXPECT_NE(at, std::string::npos) << old;
    return chain.replace(at, old.size(), text);
}

TEST(Refused, WithLineFieldValueAndRange)
{
    struct Case
    {
        std::string text;
        std::string message;
    };

    const std::string gpu1 = "<gpu id=\"1\"";
    const std::string gpu2 = "<gpu id=\"2\"";
    const std::string tb1 = "<tb id=\"1\"";
    const std::string cpy = "type=\"cpy\"";
    for (
        const Case& c : std::vector<Case>{
            {"", "p.xml:1: there is no element; expected XML"},
            {"<algo", "p.xml:1: "},
            {"<topo/>", "p.xml:1: topo: <topo> is no MSCCL program; expected <algo>"},
            {With("</algo>", "</gpu>"), "p.xml:21: <algo> of line 1 is ended by </gpu>; expected"},
            {With("name=\"chain\" ", ""), "p.xml:1: algo: <algo> has no attribute \"name\""},
            {With("nchannels=", "nchanels="),
             "p.xml:1: algo.nchanels: no such attribute of <algo>; expected \"nchannels\""},
            {With("nchannels=\"2\"", "nchannels=\"0\""),
             "p.xml:1: algo.nchannels: \"0\" is not such a number; expected a whole number from 1 "
             "to 64"},
            {With("nchunksperloop=\"1\"", "nchunksperloop=\"x\""),
             "p.xml:1: algo.nchunksperloop: \"x\" is not such a number; expected a whole number "
             "from 1 to 1048576"},
            {With("LL128", "LL256"),
             "p.xml:1: algo.proto: \"LL256\" is no protocol; expected Simple, LL or LL128"},
            {With("\"broadcast\"", "\"custom\""),
             "p.xml:1: algo.coll: \"custom\" is no operation whose results can be verified; "
             "expected one of allreduce, allgather, reducescatter, reduce_scatter, alltoall, "
             "broadcast, reduce, gather, scatter"},
            {With("\"broadcast\"", "\"allgather\""),
             "p.xml:1: algo.nchunksperloop: 1 chunks cannot be divided into a block for each of 3 "
             "GPUs; expected a multiple of ngpus"},
            {With("inplace=\"0\"", "inplace=\"2\""),
             "p.xml:1: algo.inplace: \"2\" is not such a number; expected a whole number from 0 "
             "to 1"},
            {With("inplace=\"0\"", "inplace=\"0\" outofplace=\"0\""),
             "p.xml:1: algo.outofplace: the program works neither in place nor out of place; "
             "expected inplace or outofplace 1"},
            {With("maxBytes=\"64\"", "maxBytes=\"3\""),
             "p.xml:1: algo.maxBytes: \"3\" is not such a number; expected a whole number from 4 "
             "to 9223372036854775807"},
            {With("ngpus=\"3\"", "ngpus=\"4\""),
             "p.xml:1: algo: GPU 3 is missing; expected <gpu> elements with ids 0 to 3"},
            {With("ngpus=\"3\"", "ngpus=\"2\""),
             "p.xml:16: gpu.id: \"2\" is not such a number; expected a whole number from 0 to 1"},
            {With(gpu2, "<gpu id=\"1\""),
             "p.xml:16: gpu.id: GPU 1 is there twice, first in line 11; expected each id once"},
            {With("<step", "<stop"), "p.xml:4: stop: <stop> within <tb>; expected \"step\""},
            {With("o_chunks=\"1\"", "o_chunks=\"2\"", gpu1),
             "p.xml:11: gpu.o_chunks: 2 chunks; expected 1, by coll, ngpus and nchunksperloop"},
            {With("s_chunks=\"0\"", "s_chunks=\"-1\""),
             "p.xml:2: gpu.s_chunks: \"-1\" is not such a number; expected a whole number from 0 "
             "to 1048576"},
            {With(tb1, "<tb id=\"2\""),
             "p.xml:6: tb.id: \"2\" is not such a number; expected a whole number from 0 to 1"},
            {With("send=\"1\"", "send=\"3\""),
             "p.xml:3: tb.send: \"3\" is not such a number; expected a whole number from -1 to 2"},
            {With("send=\"2\"", "send=\"1\"", gpu1),
             "p.xml:12: tb.send: 1 is the GPU itself; expected another GPU, or -1; within a GPU "
             "there is cpy"},
            {With("chan=\"1\"", "chan=\"2\""),
             "p.xml:3: tb.chan: \"2\" is not such a number; expected a whole number from 0 to 1"},
            {With("send=\"-1\" recv=\"-1\" chan=\"0\"", "send=\"1\" recv=\"-1\" chan=\"1\""),
             "p.xml:6: tb.send: sends to GPU 1 on channel 1, as thread block 0 in line 3 does; "
             "expected one thread block for a peer and channel"},
            {With("s=\"1\"", "s=\"2\"", tb1),
             "p.xml:8: step.s: \"2\" is not such a number; expected a whole number from 1 to 1"},
            {With(cpy, "type=\"copy\""),
             "p.xml:8: step.type: \"copy\" is no type of step; expected one of s, r, cpy, re, rcs, "
             "rrc, rrs, rrcs, nop"},
            {With(cpy, "type=\"s\""),
             "p.xml:8: step.type: \"s\" sends, but the thread block has send -1; expected a thread "
             "block with a GPU to send to"},
            {With(cpy, "type=\"r\""),
             "p.xml:8: step.type: \"r\" receives, but the thread block has recv -1; expected a "
             "thread block with a GPU to receive from"},
            {With("srcbuf=\"i\"", "srcbuf=\"x\"", cpy),
             "p.xml:8: step.srcbuf: \"x\" is no buffer; expected i (input), o (output) or s "
             "(scratch)"},
            {With("srcoff=\"0\"", "srcoff=\"1\"", cpy),
             "p.xml:8: step.srcoff: \"1\" is not such a number; expected a whole number from 0 to "
             "0"},
            {With("dstbuf=\"o\"", "dstbuf=\"s\"", cpy),
             "p.xml:8: step.dstbuf: the step works on 1 chunks, and buffer \"s\" of GPU 0 has 0; "
             "expected a buffer that is as long"},
            {With("cnt=\"1\"", "cnt=\"0\"", cpy),
             "p.xml:8: step.cnt: \"0\" is not such a number; expected a whole number from 1 to "
             "1048576"},
            {With("depid=\"0\"", "depid=\"2\"", tb1),
             "p.xml:7: step.depid: \"2\" is not such a number; expected a whole number from -1 to "
             "1"},
            {With("deps=\"0\"", "deps=\"1\"", tb1),
             "p.xml:7: step.deps: \"1\" is not such a number; expected a whole number from 0 to 0"},
            {With("hasdep=\"1\"", "hasdep=\"0\""),
             "p.xml:4: step.hasdep: 0, but step 0 of thread block 1 in line 7 waits for it, and "
             "would wait for ever; expected 1"},
            {With("depid=\"-1\" deps=\"-1\" hasdep=\"1\"", "depid=\"0\" deps=\"0\" hasdep=\"1\""),
             "p.xml:4: step.depid: step 0 of thread block 0 waits for step 0 of thread block 0, "
             "which cannot be done before it: a cycle; expected dependencies without cycles"},
            {With("type=\"r\"", "type=\"nop\"", gpu2),
             "p.xml:13: step.type: message 0 from GPU 1 to GPU 2 on channel 1 is never received; "
             "expected as many receives as sends"},
            {With("type=\"rcs\"", "type=\"r\""),
             "p.xml:18: step.type: message 0 from GPU 1 to GPU 2 on channel 1 is never sent; "
             "expected as many receives as sends"},
        })
    {
        std::string message = MessageOf(c.text);
        EXPECT_EQ(message.substr(0, c.message.size()), c.message) << message;
    }
}

TEST(Refused, UnequalLengths)
{
    // The receiver of message 1 takes 2 chunks where one is sent: lines of the all-to-all.
    std::string text = TextOf(ExampleOf("two-step-alltoall-4"));
    size_t at =
        text.find("type=\"r\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"1\" cnt=\"1\"");
    ASSERT_NE(at, std::string::npos);
    text.replace(text.find("cnt=\"1\"", at), 7, "cnt=\"2\"");
    std::string message = MessageOf(text);
    EXPECT_NE(
        message.find("step.cnt: 2, but message 0 from GPU 1 to GPU 0 on channel 0 is sent with "
                     "cnt 1 in line "),
        std::string::npos)
        << message;
}

TEST(Refused, CycleOverTwoThreadBlocks)
{
    std::string text = CHAIN;
    std::string first = "depid=\"-1\" deps=\"-1\" hasdep=\"1\"";
    text.replace(text.find(first), first.size(), "depid=\"1\" deps=\"1\" hasdep=\"1\"");
    std::string last = "depid=\"-1\" deps=\"-1\" hasdep=\"0\"";
    text.replace(text.find(last, text.find("type=\"cpy\"")),
                 last.size(),
                 "depid=\"-1\" deps=\"-1\" hasdep=\"1\"");
    std::string message = MessageOf(text);
    EXPECT_NE(message.find("waits for step 1 of thread block 1, which cannot be done before it: a "
                           "cycle"),
              std::string::npos)
        << message;
}

TEST(Refused, NoSuchFile)
{
    EXPECT_THROW(ReadMscclXml("no-such-file.xml"), InputError);
}

// ---------------------------------------------------------------- what the checker finds

TEST(Checker, FindsAWrongProgram)
{
    // GPU 1 passes on what it receives without adding its own input.
    std::string text = TextOf(ExampleOf("ring-allreduce-4"));
    size_t gpu1 = text.find("<gpu id=\"1\"");
    size_t at = text.find("type=\"rrs\"", gpu1);
    text.replace(at, 10, "type=\"rcs\"");
    Ptr<MscclAlgorithm> algorithm = CreateObject<MscclAlgorithm>();
    algorithm->SetProgram(ParseMscclXml(text, "wrong.xml"));
    std::string wrong = CheckAt(*algorithm, 4096);
    EXPECT_NE(wrong.find("lacks the input of rank 1"), std::string::npos) << wrong;
}

TEST(Checker, FindsADeadlockBetweenGpus)
{
    // Both receive before they send.
    const std::string step = "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>";
    std::string text = "<algo name=\"stuck\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"2\" "
                       "ngpus=\"2\" coll=\"alltoall\" inplace=\"0\">";
    for (int gpu : {0, 1})
    {
        std::string peer = std::to_string(1 - gpu);
        std::string own = std::to_string(gpu);
        text += "<gpu id=\"" + own +
                "\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"0\"><tb id=\"0\" "
                "send=\"" +
                peer + "\" recv=\"" + peer +
                "\" chan=\"0\">"
                "<step s=\"0\" type=\"cpy\" srcbuf=\"i\" srcoff=\"" +
                own + "\" dstbuf=\"o\" dstoff=\"" + own + "\" cnt=\"1\" " + step +
                "<step s=\"1\" type=\"r\" dstbuf=\"o\" dstoff=\"" + peer + "\" cnt=\"1\" " + step +
                "<step s=\"2\" type=\"s\" srcbuf=\"i\" srcoff=\"" + peer + "\" cnt=\"1\" " + step +
                "</tb></gpu>";
    }
    Ptr<MscclAlgorithm> algorithm = CreateObject<MscclAlgorithm>();
    algorithm->SetProgram(ParseMscclXml(text + "</algo>", "stuck.xml"));
    std::string wrong = CheckAt(*algorithm, 64);
    EXPECT_NE(wrong.find("waits for"), std::string::npos) << wrong;
}

// ---------------------------------------------------------------- the program

/// @param text a table @return true: it has a word
bool
Has(const std::string& text, const std::string& word)
{
    return text.find(word) != std::string::npos;
}

TEST(Program, RunsAndVerifies)
{
    test::TemporaryFolder folder;
    test::ProgramResult result = test::RunProgram(
        "run --msccl " + ExampleOf("ring-allreduce-4") + " --out " + folder.PathOf("out") +
        " --set jobs.0.workload.sizes=16KiB:4MiB:256 --quiet");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_TRUE(Has(result.output, "verified: ")) << result.output;
    std::vector<test::CsvRow> rows = test::ReadCsv(folder.PathOf("out/collectives.csv"));
    EXPECT_EQ(rows.size(), 2u);
}

TEST(Program, RefusesAWrongOne)
{
    // GPU 1 passes on what it receives without adding its own input.
    test::TemporaryFolder folder;
    std::string text = TextOf(ExampleOf("ring-allreduce-4"));
    text.replace(text.find("type=\"rrs\"", text.find("<gpu id=\"1\"")), 10, "type=\"rcs\"");
    folder.Write("wrong.xml", text);
    test::ProgramResult result = test::RunProgram("run --msccl " + folder.PathOf("wrong.xml") +
                                                  " --out " + folder.PathOf("out") + " --quiet");
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(Has(result.output, "wrong.xml: does not do all-reduce: rank ")) << result.output;
    EXPECT_TRUE(Has(result.output, "lacks the input of rank 1")) << result.output;
}

TEST(Program, RefusesWhatItCannotRead)
{
    test::TemporaryFolder folder;
    folder.Write("bad.xml", With("type=\"cpy\"", "type=\"copy\""));
    test::ProgramResult result = test::RunProgram("run --msccl " + folder.PathOf("bad.xml"));
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(Has(result.output, "bad.xml:8: step.type: \"copy\" is no type of step"))
        << result.output;
}

// ---------------------------------------------------------------- the builder

TEST(Builder, WritesAProgramThatPasses)
{
    // All-reduce of 2 ranks: each sends its input and adds what comes.
    CollectiveRequest request;
    request.count = 25;
    request.typeBytes = TYPE_BYTES;
    ProgramBuilder program(2);
    for (uint32_t rank : {0, 1})
    {
        program.Thread(rank, 0)
            .Send(1 - rank, InputAt(0), 100)
            .ReceiveReduceCopy(1 - rank, InputAt(0), OutputAt(0), 100);
    }
    RankLayout layout = RankLayout::Regular(1, 2);
    EXPECT_EQ(CheckProgram(*program.Build(), request, layout, 1), "");

    Ptr<ProgramAlgorithm> algorithm = CreateObject<ProgramAlgorithm>();
    EXPECT_EQ(algorithm->Check(request, layout), "program has no program: Set() gives it one");
    algorithm->Set("swap", request, 2, program.Build());
    EXPECT_EQ(algorithm->GetName(), "swap");
    EXPECT_EQ(algorithm->Check(request, layout), "");
    EXPECT_EQ(algorithm->Check(request, RankLayout::Regular(1, 3)),
              "swap is for 2 ranks, not for 3");
    request.count = 26;
    EXPECT_EQ(algorithm->Check(request, layout),
              "swap serves one all-reduce of 25 elements of 4 B, and nothing else");
}

TEST(Builder, HasEveryKindOfStep)
{
    // Broadcast down a chain of 4 on channel 1, then a chain of sums back up into scratch.
    CollectiveRequest request;
    request.operation = CollectiveOperation::REDUCE;
    request.count = 4;
    request.typeBytes = TYPE_BYTES;
    ProgramBuilder program(4);
    program.SetScratch(2, 16);
    program.Thread(3, 0).Channel(1).Send(2, InputAt(0), 16);
    program.Thread(2, 0)
        .Channel(1)
        .Copy(InputAt(0), ScratchAt(0), 16)
        .ReceiveReduceCopySend(3, ScratchAt(0), ScratchAt(0), 1, 16);
    program.Thread(1, 0).Channel(1).ReceiveReduceSend(2, InputAt(0), 0, 16);
    program.Thread(0, 0).Channel(1).Receive(1, OutputAt(0), 16);
    program.Thread(0, 1).After(0, 0).Wait().Reduce(InputAt(0), OutputAt(0), 16);
    auto built = program.Build();
    EXPECT_EQ(built->GetChannels(), 2u);
    EXPECT_EQ(built->GetThreads(0), 2u);
    EXPECT_EQ(built->GetScratchBytes(2), 16u);
    EXPECT_EQ(CheckProgram(*built, request, RankLayout::Regular(1, 4), 1), "");

    request.operation = CollectiveOperation::BROADCAST;
    ProgramBuilder chain(3);
    chain.Thread(0, 0).Send(1, InputAt(0), 16).Copy(InputAt(0), OutputAt(0), 16);
    chain.Thread(1, 0).ReceiveCopySend(0, OutputAt(0), 2, 16);
    chain.Thread(2, 0).Receive(1, OutputAt(0), 16);
    EXPECT_EQ(CheckProgram(*chain.Build(), request, RankLayout::Regular(1, 3), 1), "");
}

} // namespace
