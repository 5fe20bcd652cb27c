#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "api/chat_response.h"
#include "api/reasoning_splitter.h"
#include "api/response.h"
#include "api/text_stream.h"
#include "text/tiny_tokenizer_testing.h"
#include "text/tokenizer.h"

namespace fathom {
namespace {

const ResponseHead kHead = {
    "chatcmpl-0123456789abcdef01234567", 1700000000, "deepseek-r1", "fp_0123456789", {}};
constexpr size_t kBuffer = 1 << 16;

// One chunk as a stream sends it for each token. Ceiling: copying its 200 bytes, about 10 ns.
void RunChunks(benchmark::State& state, const ReplyOptions& options, const SampledToken& token,
               const ReplyDelta& delta) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  ChatChunkWriter writer(kHead, options, tokenizer);
  std::string out;
  out.reserve(kBuffer);
  int64_t bytes = 0;
  for (auto _ : state) {
    const size_t before = out.size();
    writer.Token(0, token, delta, {}, out);
    bytes += static_cast<int64_t>(out.size() - before);
    if (out.size() > kBuffer / 2) out.clear();
  }
  state.SetBytesProcessed(bytes);
}

void BM_ContentChunk(benchmark::State& state) {
  RunChunks(state, {}, {kTinyHello}, {"", " \"hello\"\n"});
}
BENCHMARK(BM_ContentChunk);

void BM_ChineseChunk(benchmark::State& state) { RunChunks(state, {}, {kTinyHello}, {"", "你好"}); }
BENCHMARK(BM_ChineseChunk);

void BM_ReasoningChunk(benchmark::State& state) {
  RunChunks(state, {}, {kTinyHello}, {" hello", ""});
}
BENCHMARK(BM_ReasoningChunk);

void BM_ChunkWithTwentyLogprobs(benchmark::State& state) {
  ReplyOptions options;
  options.logprobs = true;
  SampledToken token = {kTinyHello, -0.123456789, {}};
  for (int32_t i = 0; i < 20; ++i) token.top.push_back({kTinyFirstPiece + i % 10, -0.1 * i - 0.05});
  RunChunks(state, options, token, {"", "hello"});
}
BENCHMARK(BM_ChunkWithTwentyLogprobs);

// From an id to a chunk: characters, stop strings, reasoning, JSON.
void BM_TokenToChunk(benchmark::State& state) {
  const Tokenizer tokenizer = ParseOrDie(TinyTokenizerFiles());
  TextStreamOptions options;
  options.stop = {"\n\nUser:", "</s>"};
  options.reasoning = ReasoningMode::kOpened;
  TextStream stream(tokenizer, options);
  ChatChunkWriter writer(kHead, {}, tokenizer);
  std::string out;
  out.reserve(kBuffer);
  for (auto _ : state) {
    writer.Token(0, {kTinyHello}, stream.Push(kTinyHello), {}, out);
    if (out.size() > kBuffer / 2) out.clear();
  }
}
BENCHMARK(BM_TokenToChunk)->Iterations(1000000);

}  // namespace
}  // namespace fathom
