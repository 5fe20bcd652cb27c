#include "api/generation_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/api_error.h"
#include "api/field_reader.h"
#include "api/field_visitor.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/sampling.h"

namespace fathom {
namespace {

constexpr int64_t kMostTokens = 2147483647;  // more than any context
// What a request asks for is kept once for each of its answers, of which there may be a thousand:
// without these bounds one body would become gigabytes.
constexpr size_t kMostStops = 16;
constexpr size_t kLongestText = 1024;  // bytes of a stop text, of a bad word
constexpr size_t kMostBiases = 1024;
constexpr size_t kMostStopIds = 1024;
constexpr size_t kMostBadWords = 1024;
constexpr size_t kLongestRequestId = 128;

// The model's own ranges are wider than OpenAI's.
NumberRange RangeOf(const SamplingField& field) {
  if (field.name == "temperature") return {field.low, 2};
  return {field.low, field.high, field.name == "top_p"};
}

Status CheckDefault(const SamplingField& field, double value, const std::string& source) {
  const NumberRange range = RangeOf(field);
  if (range.Allows(value)) return Ok();
  return BadInput(Format("{} is {}, and requests have {}", field.name, value, range.Describe()),
                  Format("{}: /{}", source, field.name),
                  "set it to a value of that range, or take it out");
}

void VisitNumber(FieldVisitor& visitor, const SamplingField& field, std::optional<double>& value) {
  visitor.Number({field.name, field.help}, value, RangeOf(field));
}

void VisitNumber(FieldVisitor& visitor, const SamplingField& field, std::optional<int64_t>& value) {
  // vLLM's clients write -1 for all.
  visitor.Int({field.name, "Choose among the so many most likely tokens; 0 or -1: all"}, value,
              {-1, static_cast<int64_t>(field.high)});
  if (value == -1) value = 0;
}

bool IsShortText(const Json& text) {
  return text.is_string() && !text.as_string().empty() && text.as_string().size() <= kLongestText;
}

std::string ShortText() { return Format("a text of 1 to {} bytes", kLongestText); }

Status ReadStops(const JsonReader& value, std::vector<std::string>& stops) {
  stops.clear();
  if (IsShortText(value.value())) {
    stops.push_back(value.value().as_string());
    return Ok();
  }
  const Json* texts = value.value().is_array() ? &value.value() : nullptr;
  if (texts == nullptr || texts->as_array().size() > kMostStops) {
    return value.Mismatch("", Format("{}, or up to {} of them", ShortText(), kMostStops));
  }
  for (const Json& text : texts->as_array()) {
    if (!IsShortText(text)) return value.At(stops.size()).Mismatch("", ShortText());
    stops.push_back(text.as_string());
  }
  return Ok();
}

// Of a list or an object; other values are for others to refuse.
Status CheckCount(const JsonReader& value, size_t most, std::string_view what) {
  const Json& json = value.value();
  size_t count = 0;
  if (json.is_array()) count = json.as_array().size();
  if (json.is_object()) count = json.as_object().size();
  if (count <= most) return Ok();
  return QuotesNothing(value.Wrong(Format("{} {}, expected at most {}", count, what, most)));
}

Status ReadIdList(const JsonReader& value, int64_t vocab, std::vector<int32_t>& ids) {
  FATHOM_TRY(ids, ReadIds(value, vocab));
  return Ok();
}

Status ReadStopIds(const JsonReader& value, int64_t vocab, std::vector<int32_t>& ids) {
  FATHOM_OK(CheckCount(value, kMostStopIds, "token ids"));
  return ReadIdList(value, vocab, ids);
}

Status ReadBadWords(const JsonReader& value, std::vector<std::string>& words) {
  if (!value.value().is_array()) return value.Mismatch("", "a list of texts");
  FATHOM_OK(CheckCount(value, kMostBadWords, "texts"));
  words.clear();
  for (const Json& word : value.value().as_array()) {
    const bool good =
        IsShortText(word) && word.as_string().find_first_not_of(" \t\n\r") != std::string::npos;
    if (!good) return value.At(words.size()).Mismatch("", ShortText() + " that is not blank");
    words.push_back(word.as_string());
  }
  return Ok();
}

std::optional<int32_t> IdOfKey(std::string_view key, int64_t vocab) {
  int32_t id = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  const bool whole = error == std::errc() && end == key.data() + key.size();
  return whole && id >= 0 && id < vocab ? std::optional(id) : std::nullopt;
}

Status ReadLogitBias(const JsonReader& value, int64_t vocab,
                     std::vector<std::pair<int32_t, double>>& biases) {
  if (!value.value().is_object()) {
    return value.Mismatch("", "an object of token ids and numbers, such as {\"42\": -100}");
  }
  FATHOM_OK(CheckCount(value, kMostBiases, "tokens"));
  constexpr NumberRange kRange = {-100, 100};
  biases.clear();
  for (const auto& [key, number] : value.value().as_object()) {
    const auto id = IdOfKey(key, vocab);
    if (!id) {
      return QuotesNothing(value.MemberAt(key).value().Wrong(
          Format("the key is not a token id from 0 to {}", vocab - 1)));
    }
    if (!number.is_number() || !kRange.Allows(number.as_double())) {
      return value.Mismatch(key, kRange.Describe());
    }
    biases.emplace_back(*id, number.as_double());
  }
  std::sort(biases.begin(), biases.end());
  const auto same_id = [](const auto& a, const auto& b) { return a.first == b.first; };
  const auto twice = std::adjacent_find(biases.begin(), biases.end(), same_id);
  if (twice == biases.end()) return Ok();
  return QuotesNothing(value.Wrong(Format("token {} stands there twice", twice->first)));
}

Status ReadRequestId(const JsonReader& value, std::string& id) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_.:").find(c) != std::string_view::npos;
  };
  const std::string* text = value.value().is_string() ? &value.value().as_string() : nullptr;
  if (text == nullptr || text->empty() || text->size() > kLongestRequestId ||
      !std::all_of(text->begin(), text->end(), allowed)) {
    return value.Mismatch(
        "", Format("1 to {} letters, digits, '-', '_', '.' and ':'", kLongestRequestId));
  }
  id = *text;
  return Ok();
}

Status ReadStreamOptions(const JsonReader& value, GenerationOptions& options) {
  if (!value.value().is_object()) return value.Mismatch("", "an object");
  FATHOM_TRY(options.include_usage, value.BoolOr("include_usage", false));
  FATHOM_TRY(options.continuous_usage_stats, value.BoolOr("continuous_usage_stats", false));
  return Ok();
}

Status ReadBestOf(const JsonReader& value) {
  FATHOM_TRY(const int64_t best_of, ReadInt(value, {}));
  if (best_of == 1) return Ok();
  return QuotesNothing(BadInput(Format("'best_of' {} is not supported", best_of), value.Where(),
                                "leave it out, or ask for n answers and choose among them"));
}

Status ReadLengthPenalty(const JsonReader& value) {
  if (value.value().is_number() && value.value().as_double() == 1) return Ok();
  return value.Mismatch("", "1, as only beam search knows others");
}

void VisitChoiceOfTokens(FieldVisitor& visitor, GenerationOptions& options, int64_t vocab) {
  VisitSampling(
      [&visitor](const SamplingField& field, auto& value) { VisitNumber(visitor, field, value); },
      options.sampling);
  visitor.Int({"seed", "Same seed, same machine: same tokens"}, options.seed, {});
  visitor.Read(
      {"logit_bias", "Added to the logit of each token named"},
      Format("an object of up to {} token ids and numbers from -100 to 100", kMostBiases),
      [&](const JsonReader& value) { return ReadLogitBias(value, vocab, options.logit_bias); });
  visitor.Read(
      {"allowed_token_ids", "Only these tokens are chosen; empty: all"}, "token ids",
      [&](const JsonReader& value) { return ReadIdList(value, vocab, options.allowed_token_ids); });
  visitor.Read(
      {"bad_words",
       "None of these texts comes in an answer, as it is tokenized alone or "
       "behind a space"},
      Format("up to {} texts, each of 1 to {} bytes, none blank", kMostBadWords, kLongestText),
      [&](const JsonReader& value) { return ReadBadWords(value, options.bad_words); });
}

void VisitLength(FieldVisitor& visitor, GenerationOptions& options, int64_t vocab) {
  visitor.Int({"n", "Answers to each prompt"}, options.n, {1, 128});
  visitor.Int({"max_tokens",
               "Most tokens of an answer; not given, or more than that: what the context leaves"},
              options.max_tokens, {1, kMostTokens});
  visitor.Int({"min_tokens", "Before so many tokens nothing ends an answer; at most max_tokens"},
              options.min_tokens, {0, kMostTokens});
  visitor.Read({"stop", "An answer ends before the first of these texts, in its reasoning too"},
               Format("a text or up to {}, each of 1 to {} bytes", kMostStops, kLongestText),
               [&](const JsonReader& value) { return ReadStops(value, options.stop); });
  visitor.Read({"stop_token_ids", "An answer ends before the first of these tokens"},
               Format("up to {} token ids", kMostStopIds), [&](const JsonReader& value) {
                 return ReadStopIds(value, vocab, options.stop_token_ids);
               });
  visitor.Bool({"ignore_eos", "Go on past the model's own end of an answer"}, options.ignore_eos);
  visitor.Bool({"include_stop_str_in_output", "Keep the stop text that ended the answer"},
               options.include_stop_str_in_output);
}

void VisitOutput(FieldVisitor& visitor, GenerationOptions& options) {
  visitor.Bool({"stream", "Send the answer while it appears, as server-sent events"},
               options.stream);
  visitor.Read({"stream_options",
                "include_usage: a last chunk with the usage; continuous_usage_stats: the "
                "usage so far in each chunk too"},
               "an object of these two, true or false",
               [&](const JsonReader& value) { return ReadStreamOptions(value, options); });
  visitor.Bool({"skip_special_tokens", "Leave control tokens out of the text"},
               options.skip_special_tokens);
  visitor.Bool({"return_token_ids", "Give the ids of prompt and answer too"},
               options.return_token_ids);
}

void VisitServing(FieldVisitor& visitor, GenerationOptions& options) {
  visitor.Text({"model", "The name of a served model; not given: the only one"}, options.model);
  visitor.Int({"truncate_prompt_tokens", "Keep only so many tokens of the prompt, the last ones"},
              options.truncate_prompt_tokens, {1, kMostTokens});
  visitor.Int({"priority", "With --allow-priority lower goes first; without, it is ignored"},
              options.priority, {});
  visitor.Int({"timeout", "The request is given up after so many seconds; 0: never"},
              options.timeout_seconds, {0, 65535});
  visitor.Read({"request_id", "Part of the answer's id, in place of one the server makes"},
               Format("1 to {} letters, digits, '-', '_', '.', ':'", kLongestRequestId),
               [&](const JsonReader& value) { return ReadRequestId(value, options.request_id); });
}

void VisitWithoutEffect(FieldVisitor& visitor) {
  visitor.Ignored({"user", "Names an end user; nothing is kept about any"});
  visitor.Ignored({"metadata", "Bookkeeping of OpenAI's own service"});
  visitor.Ignored({"store", "Bookkeeping of OpenAI's own service"});
  visitor.Ignored({"service_tier", "Bookkeeping of OpenAI's own service"});
  visitor.Ignored({"spaces_between_special_tokens", "The text is what the tokens say"});
  visitor.Ignored(
      {"ttft_slo_ms", "The order of requests looks at priority and age, not at aims for latency"});
  visitor.Ignored({"tpot_slo_ms", "The same"});
  visitor.Ignored({"ttlt_slo_ms", "The same"});
  visitor.Read({"best_of", "Refused unless 1"}, "1",
               [](const JsonReader& value) { return ReadBestOf(value); });
  visitor.Read({"length_penalty", "Refused unless 1: only beam search knows it"}, "1",
               [](const JsonReader& value) { return ReadLengthPenalty(value); });
  visitor.Refused({"use_beam_search", "leave it out: answers are sampled"});
  visitor.Refused({"prompt_logprobs", "leave it out; fathom score gives them"});
  visitor.Refused({"thinking_token_budget", "bound the whole answer by max_tokens"});
  for (const std::string_view name :
       {"structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar"}) {
    visitor.Refused({name, "leave it out and ask for the format in words"});
  }
}

}  // namespace

void VisitGenerationFields(FieldVisitor& visitor, GenerationOptions& options,
                           const RequestLimits& limits) {
  VisitServing(visitor, options);
  VisitChoiceOfTokens(visitor, options, limits.vocab);
  VisitLength(visitor, options, limits.vocab);
  VisitOutput(visitor, options);
  VisitWithoutEffect(visitor);
}

Status CheckGeneration(const JsonReader& request, const GenerationOptions& options) {
  if (!options.max_tokens || options.min_tokens <= *options.max_tokens) return Ok();
  return request.Mismatch("min_tokens", Format("at most max_tokens, {}", *options.max_tokens));
}

Status CheckDefaults(const SamplingChoice& defaults, const std::string& source) {
  Status first = Ok();
  VisitSampling(
      [&](const SamplingField& field, const auto& value) {
        if (value && first.ok()) first = CheckDefault(field, static_cast<double>(*value), source);
      },
      defaults);
  return first;
}

Result<Json> ParseRequestBody(std::string_view body, size_t most_values) {
  if (body.empty()) {
    return QuotesNothing(BadInput("the body is empty, expected a JSON object", "request",
                                  "send the fields as JSON"));
  }
  FATHOM_TRY(Json json, ParseJson(body, RequestSource(), most_values));
  if (!json.is_object()) return RequestReader(json).Mismatch("", "an object");
  // Each field that is known is looked for among all that are there.
  constexpr size_t kMostFields = 1000;
  const size_t fields = json.as_object().size();
  if (fields <= kMostFields) return json;
  return QuotesNothing(
      RequestReader(json).Wrong(Format("{} fields, expected at most {}", fields, kMostFields)));
}

JsonReader RequestReader(const Json& body) { return {body, RequestSource()}; }

}  // namespace fathom
