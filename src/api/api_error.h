#ifndef FATHOM_API_API_ERROR_H_
#define FATHOM_API_API_ERROR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace fathom {

// What a client is told when its request fails: the status of HTTP and OpenAI's error object.
// docs/http-api.md lists them.
struct ApiError {
  int status = 500;
  std::string type;
  std::string code;                 // "": null
  std::string param;                // the field, as "messages[0].content"; "": null
  std::string message;              // what failed, where, and what to do, in one line
  int64_t retry_after_seconds = 0;  // for the header Retry-After; 0: none
  // What the log says in place of the message: nothing that it quotes of a client's text, and the
  // server's own files, which are not the client's to know. "": the message.
  std::string log_message = {};

  // {"error":{"message":...,"type":...,"param":...,"code":...}}
  std::string Body() const;
  // What to call it in one word, always: its code or else its type.
  const std::string& name() const { return code.empty() ? type : code; }
};

// When to come again after a 503, whatever its reason: a moment longer than it takes to see whether
// it has passed, so that those who wait are no load.
inline constexpr int64_t kRetryAfterSeconds = 5;

// The document that errors about a request's body name; their pointer becomes `param`.
JsonSource RequestSource();

// "messages[0].content" of an error whose place lies in the request's body, else "".
std::string ParamOf(const Error& error);

// An error of Fathom's as a client hears of it: kBadInput 400, kDoesNotFit 400 (the prompt is too
// long for this server), kInterrupted 503, kFailed 500. What failed is cut to a sane length.
// `param` is the field whose value it came of, where the error's place is none in the request's
// body.
ApiError FromError(const Error& error, std::string_view param = "");

// 400 context_length_exceeded: not even one token of an answer has room. `param` is the field that
// has the prompt.
ApiError ContextTooLong(int64_t prompt_tokens, int64_t max_model_len, std::string_view param);
// What the HTTP layer refused by itself (400, 408, 413, 415, 431, 503, ...).
ApiError HttpError(int status, std::string_view message);
// 504: the deadline that the request had is over.
ApiError TimedOut(const Error& error);
ApiError WrongKey();                                                                  // 401
ApiError ModelNotFound(std::string_view model, std::span<const std::string> served);  // 404
// 404. `nearest` of `paths`, which there are, is what was probably meant; "": nothing is near.
ApiError PathNotFound(std::string_view method, std::string_view path, std::string_view nearest,
                      std::span<const std::string_view> paths);
// 405; `allowed` is also the value of the header Allow: "GET, HEAD".
ApiError MethodNotAllowed(std::string_view method, std::string_view path, std::string_view allowed);
// 400: more answers at once than there is ever room for.
ApiError TooManyAnswers(int64_t asked, int64_t most);
// 400: an answer, of tokens that are told with what is asked of each, that never has room.
ApiError AnswerTooLarge(int64_t bytes, int64_t most);
ApiError NoRoomForAnswer(int64_t bytes, int64_t most);                  // 503
ApiError QueueFull(int64_t open, int64_t most, int64_t retry_after_s);  // 429
ApiError TooManyUnprepared(size_t most, int64_t retry_after_s);         // 429
// 503: "starting", "draining"; `reason`: "phase 2 of 3, reading weights", or "".
ApiError NotReady(std::string_view state, std::string_view reason);

}  // namespace fathom

#endif  // FATHOM_API_API_ERROR_H_
