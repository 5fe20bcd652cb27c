#include "sched/mindie_settings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sched/mindie_policy.h"
#include "sched/scheduler_config.h"

namespace fathom {
namespace {

using Texts = std::vector<std::string>;

std::string Config(const std::string& schedule, const std::string& deploy = "") {
  return R"({"Version":"1.0.0","ServerConfig":{"port":1025},"BackendConfig":{"backendName":"x",)"
         R"("ModelDeployConfig":{)" +
         deploy + R"(},"ScheduleConfig":{)" + schedule + "}}}";
}

TEST(MindieSettings, ReadsEachParameterWhereItStands) {
  const auto settings = ReadMindieConfig(
      Config(R"("templateType":"Standard","templateName":"Standard_LLM","cacheBlockSize":64,)"
             R"("maxPrefillBatchSize":8,"maxPrefillTokens":9000,"prefillTimeMsPerReq":600,)"
             R"("prefillPolicyType":0,"decodeTimeMsPerReq":40,"decodePolicyType":0,)"
             R"("maxBatchSize":100,"maxIterTimes":4000,"maxPreemptCount":3,)"
             R"("supportSelectBatch":true,"maxQueueDelayMicroseconds":50000,)"
             R"("maxFirstTokenWaitTime":1000,"dynamicBatchSizeEnable":true,)"
             R"("prefillExpectedTime":2000,"decodeExpectedTime":60)",
             R"("maxSeqLen":8000,"maxInputTokenLen":5000,"ModelConfig":[])"),
      "config.json");
  ASSERT_TRUE(settings.ok()) << settings.error().ToString();
  const MindiePolicy& policy = settings->policy;
  EXPECT_EQ(policy.stage_select_policy, 1);
  EXPECT_EQ(policy.prefill_ms_per_req, 600);
  EXPECT_EQ(policy.decode_ms_per_req, 40);
  EXPECT_EQ(policy.max_queue_delay_s, 0.05);
  EXPECT_EQ(policy.max_prefill_batch_size, 8);
  EXPECT_EQ(policy.max_batch_size, 100);
  EXPECT_EQ(policy.max_prefill_tokens, 9000);
  EXPECT_EQ(policy.max_seq_len, 8000);
  EXPECT_EQ(policy.max_preempt_count, 3);
  EXPECT_EQ(policy.max_first_token_wait_s, 1);
  EXPECT_TRUE(policy.dynamic_batch_size);
  EXPECT_EQ(policy.prefill_expected_s, 2);
  EXPECT_EQ(policy.decode_expected_s, 0.06);
  EXPECT_EQ(settings->cache_block_size, 64);
  EXPECT_EQ(settings->max_iter_times, 4000);
  EXPECT_EQ(settings->notes, (Texts{"templateName is not used",
                                    "supportSelectBatch sets stageSelectPolicy to 1 (it was 0)"}));
  SchedulerConfig config;
  Apply(*settings, config);
  EXPECT_EQ(config.policy, Policy::kMindie);
  EXPECT_EQ(config.block_tokens, 64);
  EXPECT_EQ(config.max_sequences, 100);
  EXPECT_EQ(config.max_batched_tokens, 9000);
}

TEST(MindieSettings, MissingKeysHaveMindiesDefaults) {
  const auto settings = ReadMindieConfig(Config(""), "config.json");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->policy.max_batch_size, 200);
  EXPECT_EQ(settings->policy.max_prefill_batch_size, 50);
  EXPECT_EQ(settings->policy.max_prefill_tokens, 8192);
  EXPECT_EQ(settings->policy.max_seq_len, 2560);
  EXPECT_EQ(settings->policy.max_queue_delay_s, 0.005);
  EXPECT_EQ(settings->cache_block_size, 128);
  EXPECT_EQ(settings->notes, Texts{});
}

// MindIE makes these without a word.
TEST(MindieSettings, SilentRewritesAreMadeAndSaid) {
  const struct {
    Texts pairs;
    int64_t prefill_tokens;
    int64_t batch;
    Texts notes;
  } rows[] = {
      {{"maxSeqLen=32768", "maxIterTimes=32768", "maxInputTokenLen=8192"},
       32768,
       200,
       {"maxPrefillTokens 8192 is raised to 32768, the least of maxSeqLen 32768 and "
        "maxInputTokenLen 8192 + maxIterTimes 32768: what was generated is computed again after a "
        "preemption"}},
      {{"maxSeqLen=20000", "maxInputTokenLen=8000", "maxIterTimes=1000"},
       9000,
       200,
       {"maxPrefillTokens 8192 is raised to 9000, the least of maxSeqLen 20000 and "
        "maxInputTokenLen 8000 + maxIterTimes 1000: what was generated is computed again after a "
        "preemption"}},
      {{"maxBatchSize=9000"}, 8192, 8192, {"maxBatchSize 9000 is cut to maxPrefillTokens 8192"}},
      {{"maxPrefillBatchSize=0"}, 8192, 200, {"maxPrefillBatchSize 0 stands for maxBatchSize 200"}},
      {{"maxSeqLen=1000"}, 8192, 200, {"maxInputTokenLen 2048 is cut to maxSeqLen - 1 = 999"}},
      {{"templateType=Mix", "maxPrefillTokens=256"}, 256, 200, {}},
  };
  for (const auto& row : rows) {
    const auto settings = ReadMindiePairs(row.pairs, "--scheduler");
    ASSERT_TRUE(settings.ok()) << settings.error().ToString();
    EXPECT_EQ(settings->policy.max_prefill_tokens, row.prefill_tokens);
    EXPECT_EQ(settings->policy.max_batch_size, row.batch);
    EXPECT_EQ(settings->notes, row.notes);
  }
}

TEST(MindieSettings, MixIsTheChunkedPolicy) {
  const auto settings =
      ReadMindiePairs(Texts{"templateType=Mix", "maxPrefillTokens=256"}, "--scheduler");
  ASSERT_TRUE(settings.ok());
  SchedulerConfig config;
  Apply(*settings, config);
  EXPECT_EQ(config.policy, Policy::kChunked);
  EXPECT_EQ(config.max_batched_tokens, 256);
}

TEST(MindieSettings, ALongMaxSeqLenIsCutToTheModel) {
  const struct {
    Texts pairs;
    int64_t positions;
    std::string note;
    int64_t seq_len;
    int64_t most_input;
    int64_t step_tokens;
    int64_t batch;
  } rows[] = {
      {{"maxSeqLen=4096"}, 4096, "", 4096, 2048, 8192, 200},
      {{"maxSeqLen=4097"},
       4096,
       "maxSeqLen 4097 is cut to the model's 4096 positions",
       4096,
       2048,
       8192,
       200},
      // Raised to 2048 + 100000 first; what was asked for is as long as four sequences.
      {{"maxSeqLen=163840", "maxIterTimes=100000"},
       2048,
       "maxSeqLen 163840 is cut to the model's 2048 positions, maxPrefillTokens 102048 to 8192",
       2048,
       2047,
       8192,
       200},
      {{"maxSeqLen=163840", "maxIterTimes=100000", "maxPrefillTokens=2048"},
       4096,
       "maxSeqLen 163840 is cut to the model's 4096 positions, maxPrefillTokens 102048 to 4096",
       4096,
       2048,
       4096,
       200},
      {{"maxSeqLen=163840", "maxIterTimes=100000", "maxPrefillTokens=2048", "maxBatchSize=5000"},
       64,
       "maxSeqLen 163840 is cut to the model's 64 positions, maxPrefillTokens 102048 to 2048, "
       "maxBatchSize 5000 to 2048",
       64,
       63,
       2048,
       2048},
      {{"templateType=Mix", "maxPrefillTokens=256"},
       1024,
       "maxSeqLen 2560 is cut to the model's 1024 positions",
       1024,
       1023,
       256,
       200},
  };
  for (const auto& row : rows) {
    auto settings = ReadMindiePairs(row.pairs, "--schedule");
    ASSERT_TRUE(settings.ok()) << settings.error().ToString();
    EXPECT_EQ(CutToModel(row.positions, *settings), row.note);
    EXPECT_EQ(settings->policy.max_seq_len, row.seq_len);
    EXPECT_EQ(settings->MostInputTokens(), row.most_input);
    SchedulerConfig config;
    Apply(*settings, config);
    EXPECT_EQ(config.max_batched_tokens, row.step_tokens);
    EXPECT_EQ(config.max_sequences, row.batch);
  }
}

TEST(MindieSettings, SwapSpaceAndMaxPreemptCountGoTogether) {
  const struct {
    Texts pairs;
    int64_t swap_bytes;
    std::string what;
    std::string fix;
  } rows[] = {
      {{}, 0, "", ""},
      {{"maxPreemptCount=3"}, 1 << 20, "", ""},
      {{"templateType=Mix"}, 1 << 20, "", ""},
      {{"maxPreemptCount=3"},
       0,
       "maxPreemptCount is 3, and there is no memory to swap to",
       "give it with --swap-space (MindIE: cpuMemSize), or set maxPreemptCount to 0"},
      {{},
       1 << 20,
       "the 1048576 bytes of --swap-space would never be used: maxPreemptCount is 0",
       "set maxPreemptCount, the most requests swapped out in one step, or leave it out"},
  };
  for (const auto& row : rows) {
    const auto settings = ReadMindiePairs(row.pairs, "--schedule");
    ASSERT_TRUE(settings.ok());
    const Status status = CheckSwap(*settings, row.swap_bytes);
    EXPECT_EQ(status.ok(), row.what.empty());
    if (status.ok()) continue;
    EXPECT_EQ(status.error().what, row.what);
    EXPECT_EQ(status.error().fix, row.fix);
  }
}

TEST(MindieSettings, ErrorsNamePathValueAndLimits) {
  const std::string at = "config.json: /BackendConfig/ScheduleConfig";
  const struct {
    std::string schedule;
    std::string deploy;
    std::string what;
    std::string where;
  } rows[] = {
      {R"("maxBatchSize":0)", "", "expected an integer from 1 to 819200, found integer 0",
       at + "/maxBatchSize"},
      {R"("maxBatchSize":"200")", "", "expected an integer from 1 to 819200, found string \"200\"",
       at + "/maxBatchSize"},
      {R"("prefillPolicyType":1)", "", "expected an integer from 0 to 0, found integer 1",
       at + "/prefillPolicyType"},
      {R"("maxQueueDelayMicroseconds":499)", "",
       "expected an integer from 500 to 1000000, found integer 499",
       at + "/maxQueueDelayMicroseconds"},
      {R"("supportSelectBatch":1)", "", "expected true or false, found integer 1",
       at + "/supportSelectBatch"},
      {R"("templateType":"Fast")", "", R"(expected "Standard" or "Mix", found string "Fast")",
       at + "/templateType"},
      {R"("npudeviceIds":1)", "", "the key 'npudeviceIds' is none of MindIE's ScheduleConfig", at},
      {R"("maxPrefillBatchSize":300)", "",
       "maxPrefillBatchSize 300 is more than maxBatchSize 200 (its default)", at},
      {R"("maxPreemptCount":201)", "",
       "maxPreemptCount 201 is more than maxBatchSize 200 (its default)", at},
      {R"("maxIterTimes":3000)", "", "maxIterTimes 3000 is more than maxSeqLen 2560 (its default)",
       "config.json: /BackendConfig/ModelDeployConfig"},
      {R"("maxPrefillTokens":1000)", "",
       "maxInputTokenLen 2048 (its default) is more than maxPrefillTokens 1000", at},
      {R"("cacheBlockSize":8)", "", "expected an integer from 16 to 128, found integer 8",
       at + "/cacheBlockSize"},
      {R"("cacheBlockSize":100)", "", "cacheBlockSize is 100, expected a multiple of 16", at},
      {"", R"("maxSeqLen":0)", "expected an integer from 1 to 4294967295, found integer 0",
       "config.json: /BackendConfig/ModelDeployConfig/maxSeqLen"},
  };
  for (const auto& row : rows) {
    const auto settings = ReadMindieConfig(Config(row.schedule, row.deploy), "config.json");
    ASSERT_FALSE(settings.ok()) << row.what;
    EXPECT_EQ(settings.error().what, row.what);
    EXPECT_EQ(settings.error().where, row.where);
  }
}

TEST(MindieSettings, PairsAreCheckedAlike) {
  const struct {
    Texts pairs;
    std::string what;
  } rows[] = {
      {{"maxBatchSize"}, "'maxBatchSize' is no KEY=VALUE"},
      {{"=3"}, "'=3' is no KEY=VALUE"},
      {{"maxBatchSize=3", "maxBatchSize=4"}, "maxBatchSize is given twice"},
      {{"maxBatchsize=3"}, "the key 'maxBatchsize' is none of MindIE's ScheduleConfig"},
      {{"maxSeqLen=many"}, "expected an integer from 1 to 4294967295, found string \"many\""},
  };
  for (const auto& row : rows) {
    const auto settings = ReadMindiePairs(row.pairs, "--scheduler");
    ASSERT_FALSE(settings.ok()) << row.what;
    EXPECT_EQ(settings.error().what, row.what);
    EXPECT_EQ(settings.error().where.substr(0, 11), "--scheduler");
  }
}

TEST(MindieSettings, AConflictWithADefaultSaysWhatToGiveToo) {
  const struct {
    Texts pairs;
    std::string what, fix;
  } rows[] = {
      {{"maxBatchSize=2"},
       "maxPrefillBatchSize 50 (its default) is more than maxBatchSize 2",
       "give maxPrefillBatchSize too, at most 2"},
      {{"maxIterTimes=3000"},
       "maxIterTimes 3000 is more than maxSeqLen 2560 (its default)",
       "give maxSeqLen too, at least 3000"},
      {{"maxBatchSize=2", "maxPrefillBatchSize=3"},
       "maxPrefillBatchSize 3 is more than maxBatchSize 2",
       "correct it; docs/formats/mindie-scheduling.md has all keys and their limits"},
  };
  for (const auto& row : rows) {
    const auto settings = ReadMindiePairs(row.pairs, "--schedule");
    ASSERT_FALSE(settings.ok()) << row.what;
    EXPECT_EQ(settings.error().what, row.what);
    EXPECT_EQ(settings.error().fix, row.fix);
  }
}

TEST(MindieSettings, AnUnknownKeyIsAnsweredWithThoseThereAre) {
  const auto settings = ReadMindiePairs(Texts{"maxBatch=2"}, "--schedule");
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.error().fix,
            "those with an effect are maxSeqLen, maxInputTokenLen, cacheBlockSize, "
            "maxPrefillBatchSize, maxPrefillTokens, prefillTimeMsPerReq, decodeTimeMsPerReq, "
            "prefillPolicyType, decodePolicyType, maxBatchSize, maxIterTimes, maxPreemptCount, "
            "maxQueueDelayMicroseconds, maxFirstTokenWaitTime, stageSelectPolicy, "
            "prefillExpectedTime, decodeExpectedTime, templateType, supportSelectBatch, "
            "dynamicBatchSizeEnable");
}

TEST(MindieSettings, AFileWithoutItsPartsIsToldWhichIsMissing) {
  const struct {
    const char* text;
    std::string what, where;
  } rows[] = {
      {"{}", "BackendConfig is missing", "config.json: /BackendConfig"},
      {R"({"BackendConfig":{"ScheduleConfig":{}}})", "ModelDeployConfig is missing",
       "config.json: /BackendConfig/ModelDeployConfig"},
      {R"({"BackendConfig":{"ModelDeployConfig":{}}})", "ScheduleConfig is missing",
       "config.json: /BackendConfig/ScheduleConfig"},
      {R"({"BackendConfig":7})", "expected an object, found integer 7",
       "config.json: /BackendConfig"},
      {"[1]", "expected an object, found array [1]", "config.json"},
  };
  for (const auto& row : rows) {
    const auto settings = ReadMindieConfig(row.text, "config.json");
    ASSERT_FALSE(settings.ok()) << row.text;
    EXPECT_EQ(settings.error().what, row.what);
    EXPECT_EQ(settings.error().where, row.where);
  }
  EXPECT_FALSE(ReadMindieConfig("", "config.json").ok());
}

}  // namespace
}  // namespace fathom
