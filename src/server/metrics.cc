#include "server/metrics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "engine/engine.h"

namespace fathom {
namespace {

// vLLM's buckets (vllm/v1/metrics/loggers.py), those of the time between tokens carried on to
// minutes.
constexpr double kFirstToken[] = {.001, .005, .01, .02, .04, .06, .08, .1, .25, .5,  .75,
                                  1,    2.5,  5,   7.5, 10,  20,  40,  80, 160, 640, 2560};
constexpr double kBetweenTokens[] = {.001, .0025, .005, .01, .025, .05, .075, .1, .15, .2, .3,
                                     .4,   .5,    .75,  1,   2.5,  5,   7.5,  10, 20,  40, 80};
constexpr double kWhole[] = {.3, .5, .8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                             30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
constexpr double kTokens[] = {1,    2,    5,    10,    20,    50,    100,    200,   500,
                              1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000};
constexpr double kStepTokens[] = {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
constexpr double kChoices[] = {1, 2, 5, 10, 20, 50, 100};

// With which a request may be refused: each has its line from the start, so that rates are right.
constexpr int kRefusals[] = {400, 401, 404, 405, 408, 413, 415, 417, 429, 431, 500, 501, 503, 505};

// Writes metrics in the text format (https://prometheus.io/docs/instrumenting/exposition_formats).
class Exposition {
 public:
  explicit Exposition(std::string_view model) {
    for (const char c : model) {
      if (c == '\\' || c == '"') label_ += '\\';
      label_ += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    label_ = Format("model_name=\"{}\",engine=\"0\"", label_);
  }

  void Number(std::string_view name, std::string_view type, std::string_view help, double value) {
    Head(name, type, help);
    Line(name, "", value);
  }

  void Labelled(std::string_view name, std::string_view label, double value) {
    Line(name, label, value);
  }

  void Head(std::string_view name, std::string_view type, std::string_view help) {
    text_ += Format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }

  void Distribution(std::string_view name, std::string_view help, const Histogram& histogram) {
    Head(name, "histogram", help);
    int64_t total = 0;
    for (size_t i = 0; i < histogram.bounds().size(); ++i) {
      total += histogram.count(i);
      Line(Format("{}_bucket", name), Format(",le=\"{}\"", histogram.bounds()[i]),
           static_cast<double>(total));
    }
    total += histogram.count(histogram.bounds().size());
    Line(Format("{}_bucket", name), ",le=\"+Inf\"", static_cast<double>(total));
    Line(Format("{}_sum", name), "", histogram.sum());
    Line(Format("{}_count", name), "", static_cast<double>(total));
  }

  std::string Take() { return std::move(text_); }

 private:
  void Line(std::string_view name, std::string_view label, double value) {
    text_ += Format("{}{{{}{}}} {}\n", name, label_, label, value);
  }

  std::string label_;
  std::string text_;
};

void WriteGauges(Exposition& out, const EngineGauges& engine, const HttpGauges& http) {
  const auto gauge = [&out](std::string_view name, std::string_view help, int64_t value) {
    out.Number(name, "gauge", help, static_cast<double>(value));
  };
  const double usage = engine.blocks == 0 ? 0
                                          : static_cast<double>(engine.held_blocks) /
                                                static_cast<double>(engine.blocks);
  gauge("vllm:num_requests_running", "Requests the engine computes.", engine.running);
  gauge("vllm:num_requests_waiting", "Requests that wait for the engine.", engine.waiting);
  gauge("vllm:num_requests_swapped", "Requests whose cache blocks are swapped out.",
        engine.swapped);
  out.Number("vllm:kv_cache_usage_perc", "gauge", "Share of cache blocks in use, 0 to 1.", usage);
  out.Number("vllm:gpu_cache_usage_perc", "gauge", "The same under its older name.", usage);
  out.Head("vllm:cache_config_info", "gauge", "The cache's size.");
  out.Labelled(
      "vllm:cache_config_info",
      Format(",block_size=\"{}\",num_gpu_blocks=\"{}\"", engine.block_tokens, engine.blocks), 1);
  gauge("fathom:http_connections", "Open connections.", http.connections);
  gauge("fathom:http_buffered_bytes", "Bytes that clients have not read yet.", http.buffered_bytes);
  gauge("fathom:http_body_bytes", "Bytes of large bodies that are being read.", http.body_bytes);
}

void WriteTotals(Exposition& out, const EngineGauges& engine, const HttpGauges& http) {
  const auto counter = [&out](std::string_view name, std::string_view help, int64_t value) {
    out.Number(name, "counter", help, static_cast<double>(value));
  };
  counter("vllm:num_preemptions_total", "Requests that lost their cache blocks for a while.",
          engine.preemptions);
  counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.",
          engine.prefix_queried_tokens);
  counter("vllm:prefix_cache_hits_total", "Prompt tokens the prefix cache held.",
          engine.prefix_hit_tokens);
  counter("fathom:http_dropped_readers_total", "Clients dropped because they did not read.",
          http.dropped_readers);
  counter("fathom:http_refused_connections_total",
          "Connections refused because all that are allowed were in use.",
          http.refused_connections);
}

}  // namespace

size_t RefusalCounts::Index(int status) {
  FATHOM_CHECK(status >= kFirst && status < kEnd);
  return static_cast<size_t>(status - kFirst);
}

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds), counts_(std::make_unique<std::atomic<int64_t>[]>(bounds.size() + 1)) {}

void Histogram::Observe(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

Metrics::Metrics()
    : time_to_first_token(kFirstToken),
      inter_token_latency(kBetweenTokens),
      time_per_output_token(kBetweenTokens),
      e2e_latency(kWhole),
      queue_time(kWhole),
      inference_time(kWhole),
      prefill_time(kWhole),
      decode_time(kWhole),
      request_prompt_tokens(kTokens),
      request_generation_tokens(kTokens),
      request_max_tokens(kTokens),
      request_n(kChoices),
      iteration_tokens(kStepTokens) {}

std::string Metrics::Render(std::string_view model, const EngineGauges& engine,
                            const HttpGauges& http) const {
  Exposition out(model);
  WriteGauges(out, engine, http);
  WriteTotals(out, engine, http);
  out.Number("vllm:prompt_tokens_total", "counter", "Prompt tokens of finished prefills.",
             static_cast<double>(prompt_tokens.value()));
  out.Number("vllm:generation_tokens_total", "counter", "Tokens generated.",
             static_cast<double>(generation_tokens.value()));
  out.Head("vllm:request_success_total", "counter", "Requests that ended, by how.");
  for (size_t i = 0; i < finished.size(); ++i) {
    const std::string_view reason = FinishReasonName(static_cast<FinishReason>(i));
    out.Labelled("vllm:request_success_total", Format(",finished_reason=\"{}\"", reason),
                 static_cast<double>(finished[i].value()));
  }
  out.Head("fathom:requests_refused_total", "counter",
           "Requests answered with an error before they reached the engine, by HTTP status.");
  for (const int status : kRefusals) {
    out.Labelled("fathom:requests_refused_total", Format(",status=\"{}\"", status),
                 static_cast<double>(refused.count(status)));
  }
  const auto histogram = [&out](std::string_view name, std::string_view help, const Histogram& h) {
    out.Distribution(Format("vllm:{}", name), help, h);
  };
  histogram("time_to_first_token_seconds", "From arrival to the first token.", time_to_first_token);
  histogram("inter_token_latency_seconds", "Between two tokens of a request.", inter_token_latency);
  histogram("time_per_output_token_seconds", "The same under its older name.", inter_token_latency);
  histogram("request_time_per_output_token_seconds", "Mean time between the tokens of a request.",
            time_per_output_token);
  histogram("e2e_request_latency_seconds", "From arrival to the end.", e2e_latency);
  histogram("request_queue_time_seconds", "From arrival to the first step.", queue_time);
  histogram("request_inference_time_seconds", "From the first step to the last token.",
            inference_time);
  histogram("request_prefill_time_seconds", "From the first step to the first token.",
            prefill_time);
  histogram("request_decode_time_seconds", "From the first token to the last.", decode_time);
  histogram("request_prompt_tokens", "Prompt tokens of a request.", request_prompt_tokens);
  histogram("request_generation_tokens", "Tokens generated for a request.",
            request_generation_tokens);
  histogram("request_params_max_tokens", "max_tokens as asked.", request_max_tokens);
  histogram("request_params_n", "n as asked.", request_n);
  histogram("iteration_tokens_total", "Tokens computed in a step.", iteration_tokens);
  return out.Take();
}

}  // namespace fathom
