#include "server/metrics.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom {
namespace {

bool HasLine(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Histogram, CountsInTheFirstBucketThatHoldsTheValue) {
  constexpr double kBounds[] = {1, 2, 5};
  Histogram histogram(kBounds);
  for (const double value : {0.5, 1.0, 1.5, 5.0, 7.0}) histogram.Observe(value);
  EXPECT_EQ(histogram.count(0), 2);
  EXPECT_EQ(histogram.count(1), 1);
  EXPECT_EQ(histogram.count(2), 1);
  EXPECT_EQ(histogram.count(3), 1);
  EXPECT_EQ(histogram.sum(), 15);
}

TEST(Metrics, AreWrittenInPrometheusTextFormat) {
  Metrics metrics;
  metrics.prompt_tokens.Add(12);
  metrics.finished[0].Add(2);
  metrics.refused.Add(429);
  metrics.refused.Add(429);
  metrics.time_to_first_token.Observe(0.3);
  metrics.time_to_first_token.Observe(3000);
  const EngineGauges engine{.running = 3,
                            .waiting = 1,
                            .blocks = 200,
                            .held_blocks = 50,
                            .block_tokens = 16,
                            .preemptions = 4,
                            .prefix_queried_tokens = 100,
                            .prefix_hit_tokens = 60};
  const std::string text =
      metrics.Render("a\"b\\c\n", engine, {.connections = 7, .refused_connections = 9});
  const std::string label = R"(model_name="a\"b\\c\n",engine="0")";
  const std::vector<std::string> lines = {
      "# TYPE vllm:num_requests_running gauge",
      "vllm:num_requests_running{" + label + "} 3",
      "vllm:num_requests_waiting{" + label + "} 1",
      "vllm:kv_cache_usage_perc{" + label + "} 0.25",
      "vllm:cache_config_info{" + label + ",block_size=\"16\",num_gpu_blocks=\"200\"} 1",
      "vllm:num_preemptions_total{" + label + "} 4",
      "vllm:prefix_cache_hits_total{" + label + "} 60",
      "vllm:prompt_tokens_total{" + label + "} 12",
      "vllm:request_success_total{" + label + ",finished_reason=\"stop\"} 2",
      "# TYPE vllm:time_to_first_token_seconds histogram",
      "vllm:time_to_first_token_seconds_bucket{" + label + ",le=\"0.25\"} 0",
      "vllm:time_to_first_token_seconds_bucket{" + label + ",le=\"0.5\"} 1",
      "vllm:time_to_first_token_seconds_bucket{" + label + ",le=\"2560\"} 1",
      "vllm:time_to_first_token_seconds_bucket{" + label + ",le=\"+Inf\"} 2",
      "vllm:time_to_first_token_seconds_sum{" + label + "} 3000.3",
      "vllm:time_to_first_token_seconds_count{" + label + "} 2",
      "fathom:http_connections{" + label + "} 7",
      "fathom:http_refused_connections_total{" + label + "} 9",
      "fathom:requests_refused_total{" + label + ",status=\"429\"} 2",
      "fathom:requests_refused_total{" + label + ",status=\"413\"} 0",
  };
  for (const std::string& line : lines) {
    EXPECT_TRUE(HasLine(text, line)) << line << "\nin\n" << text;
  }
}

}  // namespace
}  // namespace fathom
