#include "net/exchange.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "net/response_head.h"

namespace fathom {
namespace {

// Buffers grow with a slow reader; what is larger than this is given back once it was sent.
constexpr size_t kKeptBytes = 64 << 10;

// Before each lock under which OnGone's function is let go: what it holds may end with it, and may
// call back, so it ends after the lock.
using LetGo = std::function<void()>;

}  // namespace

Exchange::Exchange(Client& client, const Terms& terms) : client_(&client), terms_(terms) {}

HttpReply Exchange::Handle(std::shared_ptr<Exchange> exchange) {
  Exchange* raw = exchange.get();
  return HttpReply(std::shared_ptr<Exchange>(
      raw, [kept = std::move(exchange)](Exchange* /*raw*/) { kept->Abandon(); }));
}

bool Exchange::Send(const HttpResponse& response) {
  LetGo unused;
  const std::lock_guard lock(mutex_);
  if (!SendLocked(response)) return false;
  unused.swap(on_gone_);
  return true;
}

bool Exchange::SendLocked(const HttpResponse& response) {
  if (!Begin(response, HasNoBody(response.status) ? BodyEnd::kNone : BodyEnd::kLength))
    return false;
  AppendBody(response.body);
  finished_ = true;
  Wake();
  return true;
}

bool Exchange::StartStream(const HttpResponse& response) {
  const std::lock_guard lock(mutex_);
  BodyEnd end = terms_.manner.http10 ? BodyEnd::kClose : BodyEnd::kChunks;
  if (HasNoBody(response.status)) end = BodyEnd::kNone;
  if (!Begin(response, end)) return false;
  AppendBody(response.body);
  Wake();
  return true;
}

// Makes the head; false when there is an answer already or nobody to answer.
bool Exchange::Begin(const HttpResponse& response, BodyEnd end) {
  if (begun_ || client_ == nullptr || gone_) return false;
  begun_ = true;
  end_ = end;
  if (end == BodyEnd::kClose || *terms_.draining) terms_.manner.keep_alive = false;
  const size_t before = waiting_.size();
  AppendResponseHead(waiting_, response, terms_.manner, end, response.body.size(),
                     std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  *terms_.buffered_bytes += static_cast<int64_t>(waiting_.size() - before);
  return true;
}

void Exchange::AppendBody(std::string_view bytes) {
  if (bytes.empty() || end_ == BodyEnd::kNone || terms_.manner.head_request) return;
  const size_t before = waiting_.size();
  if (end_ == BodyEnd::kChunks) {
    AppendChunk(waiting_, bytes);
  } else {
    waiting_.append(bytes);
  }
  *terms_.buffered_bytes += static_cast<int64_t>(waiting_.size() - before);
}

bool Exchange::streaming() const { return begun_ && !finished_ && !gone_ && client_ != nullptr; }

bool Exchange::Write(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!streaming()) return false;
  // A piece may be larger than the limit: what counts is what waits in front of it.
  if (static_cast<int64_t>(waiting_.size()) + in_flight_ > terms_.write_buffer_bytes) {
    slow_ = true;
    why_dropped_ =
        Format("the client did not read: {} bytes waited for it, and at most {} may",
               waiting_.size() + static_cast<size_t>(in_flight_), terms_.write_buffer_bytes);
    Break();
    return false;
  }
  AppendBody(bytes);
  Wake();
  return true;
}

bool Exchange::Finish() {
  LetGo unused;
  const std::lock_guard lock(mutex_);
  if (!streaming()) return false;
  if (end_ == BodyEnd::kChunks && !terms_.manner.head_request) {
    waiting_.append(kLastChunk);
    *terms_.buffered_bytes += static_cast<int64_t>(kLastChunk.size());
  }
  finished_ = true;
  unused.swap(on_gone_);
  Wake();
  return true;
}

void Exchange::OnGone(std::function<void()> gone) {
  {
    const std::lock_guard lock(mutex_);
    if (!gone_) {
      if (!finished_) on_gone_.swap(gone);
      return;
    }
  }
  gone();
}

std::string Exchange::WhyDropped() const {
  const std::lock_guard lock(mutex_);
  return why_dropped_;
}

void Exchange::Drop(std::string why) {
  const std::lock_guard lock(mutex_);
  why_dropped_ = std::move(why);
}

void Exchange::Wake() {
  if (std::exchange(scheduled_, true)) return;
  client_->Schedule();
}

// Unlike Wake it schedules always: a write may be in flight that will never end.
void Exchange::Break() {
  broken_ = true;
  gone_ = true;
  client_->Schedule();
}

void Exchange::Abandon() {
  LetGo unused;
  const std::lock_guard lock(mutex_);
  if (client_ == nullptr || finished_ || gone_) return;
  if (begun_) {
    Break();
  } else {
    SendLocked(client_->Abandoned());
    unused.swap(on_gone_);
  }
}

Exchange::Progress Exchange::Take(std::string& out) {
  const std::lock_guard lock(mutex_);
  FATHOM_CHECK(out.empty());
  if (out.capacity() > kKeptBytes) std::string().swap(out);
  out.swap(waiting_);
  in_flight_ += static_cast<int64_t>(out.size());
  scheduled_ = !out.empty();
  if (!finished_) return Progress::kOpen;
  client_ = nullptr;
  return Progress::kComplete;
}

void Exchange::Sent(size_t bytes) {
  in_flight_ -= static_cast<int64_t>(bytes);
  *terms_.buffered_bytes -= static_cast<int64_t>(bytes);
}

bool Exchange::keep_alive() const {
  const std::lock_guard lock(mutex_);
  return terms_.manner.keep_alive;
}

bool Exchange::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

void Exchange::Detach() {
  std::function<void()> gone;
  {
    const std::lock_guard lock(mutex_);
    client_ = nullptr;
    *terms_.buffered_bytes -= static_cast<int64_t>(waiting_.size()) + in_flight_;
    std::string().swap(waiting_);
    in_flight_ = 0;
    if (finished_) return;
    gone_ = true;
    gone.swap(on_gone_);
  }
  if (gone) gone();
}

bool HttpReply::Send(const HttpResponse& response) const { return exchange_->Send(response); }
bool HttpReply::StartStream(const HttpResponse& response) const {
  return exchange_->StartStream(response);
}
bool HttpReply::Write(std::string_view bytes) const { return exchange_->Write(bytes); }
bool HttpReply::Finish() const { return exchange_->Finish(); }
void HttpReply::OnGone(std::function<void()> gone) const { exchange_->OnGone(std::move(gone)); }
std::string HttpReply::WhyDropped() const { return exchange_->WhyDropped(); }

}  // namespace fathom
