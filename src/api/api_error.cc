#include "api/api_error.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/json.h"
#include "base/result.h"

namespace fathom {
namespace {

constexpr std::string_view kRequest = "request";
constexpr const char* kInvalid = "invalid_request_error";
constexpr std::string_view kSmallerAnswer =
    "a smaller max_tokens, n or number of likely tokens, or a stream";

constexpr size_t kMostSaid = 1000;  // bytes of what failed: a template may raise any text
constexpr const char* kUntold = "what is wrong quotes the request: its client was told";

Json OrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

// RFC 6901: "~1" stands for "/" and "~0" for "~".
std::string UnescapeToken(std::string_view token) {
  std::string out;
  for (size_t at = 0; at < token.size(); ++at) {
    const bool escaped = token[at] == '~' && at + 1 < token.size();
    if (!escaped) {
      out += token[at];
      continue;
    }
    out += token[++at] == '1' ? '/' : '~';
  }
  return out;
}

// "/messages/0/content" -> "messages[0].content"
std::string ParamOfPointer(std::string_view pointer) {
  std::string param;
  while (!pointer.empty()) {
    const size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string token = UnescapeToken(pointer.substr(1, end - 1));
    const bool is_index = !token.empty() && std::all_of(token.begin(), token.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    if (is_index) {
      param += "[" + token + "]";
    } else {
      param += (param.empty() ? "" : ".") + token;
    }
    pointer.remove_prefix(end);
  }
  return param;
}

// "a, b, c"
template <typename Text>
std::string Joined(std::span<const Text> names) {
  std::string joined;
  for (const Text& name : names) {
    if (!joined.empty()) joined += ", ";
    joined += name;
  }
  return joined;
}

ApiError Invalid(int status, std::string_view code, std::string message) {
  return {status, kInvalid, std::string(code), "", std::move(message)};
}

bool LiesInBody(const Error& error) {
  const std::string_view where = error.where;
  return where == kRequest ||
         (where.starts_with(kRequest) && where.substr(kRequest.size()).starts_with(": /"));
}

std::string FieldOf(const Error& error, std::string_view param) {
  return LiesInBody(error) ? ParamOf(error) : std::string(param);
}

// What a client may know of the place: its own request.
std::string PlaceFor(const Error& error, std::string_view param) {
  const std::string field = FieldOf(error, param);
  if (!field.empty()) return field + ": ";
  return LiesInBody(error) ? error.where + ": " : "";
}

// The log has the field apart.
std::string LogPlace(const Error& error) {
  return error.where.empty() || LiesInBody(error) ? "" : error.where + ": ";
}

ApiError ComeAgain(const std::string& why, int64_t retry_after_s) {
  return {429,
          "rate_limit_error",
          "queue_full",
          "",
          Format("{}; try again in {} s", why, retry_after_s),
          retry_after_s};
}

}  // namespace

std::string ApiError::Body() const {
  const Json error = Json::MakeObject(
      {{"message", message}, {"type", type}, {"param", OrNull(param)}, {"code", OrNull(code)}});
  return Json::MakeObject({{"error", error}}).Dump();
}

JsonSource RequestSource() { return {kRequest, "correct it and send the request again"}; }

std::string ParamOf(const Error& error) {
  const std::string_view where = error.where;
  if (!LiesInBody(error) || where == kRequest) return "";
  return Shortened(ParamOfPointer(where.substr(kRequest.size() + 2)));
}

ApiError FromError(const Error& error, std::string_view param) {
  const std::string say = Shortened(error.what, kMostSaid) + "; " + error.fix;
  ApiError api;
  switch (error.kind) {
    case ErrorKind::kBadInput:
      api = Invalid(400, "", PlaceFor(error, param) + say);
      api.log_message = LogPlace(error) + (error.unquoted.empty() ? kUntold : error.unquoted);
      break;
    case ErrorKind::kDoesNotFit:
      api = Invalid(400, "context_length_exceeded", say);
      break;
    case ErrorKind::kInterrupted:
      api = {503, "service_unavailable", "draining", "", say, kRetryAfterSeconds};
      break;
    case ErrorKind::kFailed:
      api = {500, "internal_error", "", "", say};
      api.log_message = LogPlace(error) + say;
      break;
  }
  if (api.status == 400) api.param = FieldOf(error, param);
  return api;
}

// The first sentence is OpenAI's: clients look for its words.
ApiError ContextTooLong(int64_t prompt_tokens, int64_t max_model_len, std::string_view param) {
  ApiError error =
      Invalid(400, "context_length_exceeded",
              Format("This model's maximum context length is {} tokens. However, your prompt "
                     "has {} tokens and leaves no room for an answer; shorten the prompt",
                     max_model_len, prompt_tokens));
  error.param = param;
  return error;
}

ApiError HttpError(int status, std::string_view message) {
  const struct {
    int status;
    const char *type, *code;
  } kinds[] = {{408, "timeout_error", "request_timeout"},
               {413, kInvalid, "request_too_large"},
               {415, kInvalid, "unsupported_content_encoding"},
               {417, kInvalid, "unsupported_expectation"},
               {431, kInvalid, "header_too_large"},
               {501, kInvalid, "unsupported_transfer_encoding"},
               {503, "service_unavailable", "overloaded"},
               {505, kInvalid, "unsupported_http_version"}};
  for (const auto& kind : kinds) {
    if (kind.status != status) continue;
    return {status,
            kind.type,
            kind.code,
            "",
            std::string(message),
            status == 503 ? kRetryAfterSeconds : 0};
  }
  if (status == 400) return Invalid(400, "malformed_http", std::string(message));
  return {status, "internal_error", "", "", std::string(message)};
}

ApiError TimedOut(const Error& error) {
  return {504, "timeout_error", "deadline_exceeded", "", error.what + "; " + error.fix};
}

ApiError WrongKey() {
  return {401, "authentication_error", "invalid_api_key", "",
          "the API key is missing or wrong; send the header Authorization: Bearer KEY with a key "
          "of this server"};
}

ApiError ModelNotFound(std::string_view model, std::span<const std::string> served) {
  const std::string say = "does not exist; this server has: " + Joined(served);
  return {.status = 404,
          .type = "NotFoundError",
          .code = "model_not_found",
          .param = "model",
          .message = Format("the model '{}' {}", Shortened(model), say),
          .log_message = "the model that is named " + say};
}

ApiError PathNotFound(std::string_view method, std::string_view path, std::string_view nearest,
                      std::span<const std::string_view> paths) {
  std::string message = Format("there is nothing at {} {}; ", Shortened(method), Shortened(path));
  message += nearest.empty() ? "this server has: " + Joined(paths)
                             : Format("the nearest path is {}", nearest);
  return {404, "NotFoundError", "unknown_url", "", std::move(message)};
}

ApiError MethodNotAllowed(std::string_view method, std::string_view path,
                          std::string_view allowed) {
  return Invalid(
      405, "method_not_allowed",
      Format("{} is not allowed for {}; use {}", Shortened(method), Shortened(path), allowed));
}

ApiError TooManyAnswers(int64_t asked, int64_t most) {
  return Invalid(
      400, "too_many_answers",
      Format("the request asks for {} answers (n, for each prompt) and this server takes "
             "at most {} at once; ask for fewer, or in several requests",
             asked, most));
}

ApiError AnswerTooLarge(int64_t bytes, int64_t most) {
  return Invalid(
      400, "answer_too_large",
      Format(
          "the answer may take {} bytes of memory (max_tokens, or what the context leaves, of "
          "tokens with their log-probabilities or ids; 40 times a text that is tokenized), of at "
          "most {}; ask for {}",
          bytes, most, kSmallerAnswer));
}

ApiError NoRoomForAnswer(int64_t bytes, int64_t most) {
  return HttpError(503, Format("the answer may take {} bytes of memory, and of {} for all answers "
                               "too few are free; try again in {} s, or ask for {}",
                               bytes, most, kRetryAfterSeconds, kSmallerAnswer));
}

ApiError QueueFull(int64_t open, int64_t most, int64_t retry_after_s) {
  return ComeAgain(Format("{} requests run or wait, of at most {}", open, most), retry_after_s);
}

ApiError TooManyUnprepared(size_t most, int64_t retry_after_s) {
  return ComeAgain(Format("{} requests wait to be read and tokenized, as many as may", most),
                   retry_after_s);
}

ApiError NotReady(std::string_view state, std::string_view reason) {
  const std::string more = reason.empty() ? "" : Format(" ({})", reason);
  return {503,
          "service_unavailable",
          std::string(state),
          "",
          Format("the server is {}{}; try again in {} s", state, more, kRetryAfterSeconds),
          kRetryAfterSeconds};
}

}  // namespace fathom
