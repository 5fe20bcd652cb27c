#ifndef FATHOM_SERVER_METRICS_H_
#define FATHOM_SERVER_METRICS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace fathom {

// A number that only grows. Threads: any.
class Counter {
 public:
  void Add(int64_t amount = 1) { value_.fetch_add(amount, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_ = 0;
};

// Errors answered, by the status of HTTP. Threads: any.
class RefusalCounts {
 public:
  void Add(int status) { counts_[Index(status)].Add(); }
  int64_t count(int status) const { return counts_[Index(status)].value(); }

 private:
  static constexpr int kFirst = 400;
  static constexpr int kEnd = 600;
  static size_t Index(int status);

  std::array<Counter, kEnd - kFirst> counts_;
};

// How often a value was at most each of some bounds, as Prometheus counts. Threads: any.
class Histogram {
 public:
  // Upper bounds, rising; what is above the last is counted too. They must outlive it.
  explicit Histogram(std::span<const double> bounds);

  void Observe(double value);

  std::span<const double> bounds() const { return bounds_; }
  int64_t count(size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::span<const double> bounds_;
  std::unique_ptr<std::atomic<int64_t>[]> counts_;  // [bounds + 1], each of its bucket alone
  std::atomic<double> sum_ = 0;
};

// What the engine's state was after a step.
struct EngineGauges {
  int64_t running = 0;
  int64_t waiting = 0;
  int64_t swapped = 0;
  int64_t blocks = 0;       // cache blocks there are
  int64_t held_blocks = 0;  // of them, those of running requests
  int64_t block_tokens = 0;
  int64_t preemptions = 0;            // so far
  int64_t prefix_queried_tokens = 0;  // of prompts that began, so far
  int64_t prefix_hit_tokens = 0;      // of them, those the prefix cache held
};

// What the HTTP side's state is.
struct HttpGauges {
  int64_t connections = 0;
  int64_t buffered_bytes = 0;  // written to clients that have not read them yet
  int64_t dropped_readers = 0;
  int64_t refused_connections = 0;
  int64_t body_bytes = 0;  // of requests, that count for their common limit
};

// All metrics of the server, under vLLM's names where it has one
// (https://docs.vllm.ai/en/stable/usage/metrics.html). Buckets reach the minutes that a reasoning
// model's answers take. Threads: any.
struct Metrics {
  Metrics();

  Counter prompt_tokens, generation_tokens;
  // Requests by how they ended: those of FinishReason, in its order.
  std::array<Counter, kFinishReasons> finished;
  RefusalCounts refused;  // answered with an error before they reached the engine
  Histogram time_to_first_token, inter_token_latency, time_per_output_token;
  Histogram e2e_latency, queue_time, inference_time, prefill_time, decode_time;
  Histogram request_prompt_tokens, request_generation_tokens, request_max_tokens, request_n;
  Histogram iteration_tokens;

  // The text exposition format 0.0.4; `model` labels every line.
  std::string Render(std::string_view model, const EngineGauges& engine,
                     const HttpGauges& http) const;
};

}  // namespace fathom

#endif  // FATHOM_SERVER_METRICS_H_
