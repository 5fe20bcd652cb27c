// Tokenizer and template speed. With FATHOM_TOKENIZER_DIR set, DeepSeek-V3's tokenizer is measured,
// else the tests' tiny one.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "text/chat_template.h"
#include "text/golden_testing.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

TokenizerFiles Files() {
  return TokenizerFilesFromEnvironment("FATHOM_TOKENIZER_DIR").value_or(TinyTokenizerFiles());
}

// The golden texts one after the other: prose, code, Chinese, digits, emoji.
std::string MixedText(size_t bytes) {
  const Json golden = ReadGoldenJson("encode_decode.json");
  std::string text;
  while (text.size() < bytes) {
    for (const Json& item : golden.Find("cases")->as_array()) {
      text += item.Find("text")->as_string() + " ";
    }
  }
  return text;
}

void BM_Load(benchmark::State& state) {
  const TokenizerFiles files = Files();
  for (auto _ : state) benchmark::DoNotOptimize(ParseOrDie(files).vocab_size());
}
BENCHMARK(BM_Load)->Unit(benchmark::kMillisecond);

void BM_EncodeMixedText(benchmark::State& state) {
  const Tokenizer tokenizer = ParseOrDie(Files());
  const std::string text = MixedText(size_t{1} << 20);
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer.Encode(text, true).value().size());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_EncodeMixedText)->Unit(benchmark::kMillisecond);

// One word without a place to cut; a megabyte more takes about as long as the one before.
void BM_EncodeOneWord(benchmark::State& state) {
  const Tokenizer tokenizer = ParseOrDie(Files());
  std::string text;
  while (text.size() < static_cast<size_t>(state.range(0))) text += "abracadabra";
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer.Encode(text, true).value().size());
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_EncodeOneWord)->Range(1 << 10, 1 << 20)->Unit(benchmark::kMillisecond);

void BM_Decode(benchmark::State& state) {
  const Tokenizer tokenizer = ParseOrDie(Files());
  const std::vector<int32_t> ids = tokenizer.Encode(MixedText(size_t{1} << 20), true).value();
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer.Decode(ids, false).size());
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(ids.size()));
}
BENCHMARK(BM_Decode)->Unit(benchmark::kMillisecond);

void BM_RenderR1(benchmark::State& state) {
  const auto chat_template =
      ChatTemplate::Parse(
          {ReadTestFile(GoldenTokenizerFolder() + "/templates/deepseek-r1.jinja"), "r1"})
          .value();
  ChatTemplate::Input input;
  input.messages = Json::MakeArray();
  for (int i = 0; i < state.range(0); ++i) {
    input.messages.Append(Json::MakeObject(
        {{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", std::string(500, 'x')}}));
  }
  for (auto _ : state) benchmark::DoNotOptimize(chat_template.Render(input).value().size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_RenderR1)->Arg(2)->Arg(100)->Arg(10000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fathom
