#include "server/known_answer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/field_reader.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "engine/engine.h"
#include "io/file_system.h"
#include "sched/request.h"

namespace fathom {
namespace {

// Long enough for a collapse to show, short enough for a start.
constexpr int64_t kTokens = 16;
constexpr size_t kMostExpected = 32;

constexpr const char* kFix =
    "fathom score compares logits, fathom inspect the files; --skip-self-test starts anyway";

Result<size_t> SafeTokens(const JsonReader& item, size_t ids) {
  FATHOM_TRY(const JsonReader list, item.ArrayAt("margins"));
  const Json::Array& margins = list.value().as_array();
  size_t safe = 0;
  while (safe < std::min({ids, margins.size(), kMostExpected})) {
    if (!margins[safe].is_number()) return list.At(safe).Mismatch("", "a number");
    if (margins[safe].as_double() < kSafeMargin) break;
    ++safe;
  }
  return safe;
}

std::string Show(const std::vector<int32_t>& ids) { return Json::ArrayOf(ids).Dump(); }

Result<std::vector<int32_t>> Answer(Engine& engine, const SelfTest& test) {
  GenerationRequest request;
  request.prompt = test.prompt;
  request.sampling.temperature = 0;
  request.max_tokens = test.expected.empty() ? kTokens : static_cast<int64_t>(test.expected.size());
  FATHOM_TRY([[maybe_unused]] const RequestId id, engine.Submit(std::move(request)));
  std::vector<int32_t> answer;
  while (!engine.idle()) {
    for (const EngineEvent& event : engine.Step().events) {
      if (event.token) answer.push_back(*event.token);
      if (event.error) return *event.error;
    }
  }
  return answer;
}

}  // namespace

Result<std::optional<SelfTest>> LoadSelfTest(FileSystem& files, const std::string& folder,
                                             int64_t vocab) {
  const std::string path = folder + "/expected.json";
  if (!files.Exists(path)) return std::optional<SelfTest>();
  FATHOM_TRY(const std::string text, files.ReadText(path));
  FATHOM_TRY(const Json json, ParseJson(text, JsonSource::Fetched(path)));
  FATHOM_TRY(const JsonReader items, JsonReader(json, JsonSource::Fetched(path)).ArrayAt("items"));
  if (items.value().as_array().empty()) return std::optional<SelfTest>();
  const JsonReader item = items.At(0);
  SelfTest test;
  FATHOM_TRY(const JsonReader prompt, item.MemberAt("prompt_ids"));
  FATHOM_TRY(test.prompt, ReadIds(prompt, vocab));
  FATHOM_TRY(const JsonReader expected, item.MemberAt("ids"));
  FATHOM_TRY(test.expected, ReadIds(expected, vocab));
  FATHOM_TRY(const size_t safe, SafeTokens(item, test.expected.size()));
  test.expected.resize(safe);
  return std::optional(std::move(test));
}

Status RunSelfTest(Engine& engine, const SelfTest& test) {
  const Result<std::vector<int32_t>> answer = Answer(engine, test);
  if (!answer.ok()) return Within("self-test", answer.error());
  if (!test.expected.empty()) {
    if (*answer == test.expected) return Ok();
    return Failed(Format("the model answers {}, expected {}", Show(*answer), Show(test.expected)),
                  "self-test", kFix);
  }
  const bool collapsed =
      std::ranges::count(*answer, answer->front()) == static_cast<int64_t>(answer->size());
  if (!collapsed) return Ok();
  return Failed(Format("the model answers with token {} {} times and nothing else", answer->front(),
                       answer->size()),
                "self-test", kFix);
}

}  // namespace fathom
