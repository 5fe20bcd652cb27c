#include "server/request_log.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"

namespace fathom {
namespace {

// A client must not be able to fill the memory with names it makes up.
constexpr size_t kMostNames = 1000;

constexpr size_t kMostUnwritten = 65536;  // lines
constexpr int64_t kMostUnwrittenBytes = 64 << 20;

}  // namespace

std::string FormatUtc(int64_t unix_ms) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(unix_ms)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return Format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                clock.subseconds().count());
}

ServerLog::ServerLog(Sink sink, std::function<int64_t()> unix_ms)
    : sink_(std::move(sink)), unix_ms_(std::move(unix_ms)), writer_(1, kMostUnwritten) {}

void ServerLog::Info(std::string_view event, Json::Object fields) {
  Write("info", event, std::move(fields));
}

void ServerLog::Warn(std::string_view event, Json::Object fields) {
  Write("warning", event, std::move(fields));
}

void ServerLog::Error(std::string_view event, Json::Object fields) {
  Write("error", event, std::move(fields));
}

void ServerLog::UnknownFields(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    {
      const std::lock_guard lock(mutex_);
      if (known_unknown_.size() >= kMostNames || !known_unknown_.insert(name).second) continue;
    }
    Warn("unknown_field",
         {{"field", name}, {"message", "requests have this field; it is ignored"}});
  }
}

void ServerLog::IgnoredPriority() {
  if (said_priority_.exchange(true)) return;
  Warn("priority_ignored",
       {{"message", "requests have `priority`; it is heeded with --allow-priority only"}});
}

void ServerLog::Write(std::string_view level, std::string_view event, Json::Object fields) {
  std::string line = LineOf(level, event, std::move(fields));
  const auto bytes = static_cast<int64_t>(line.size());
  const bool fits = unwritten_bytes_.fetch_add(bytes) + bytes <= kMostUnwrittenBytes;
  if (fits && writer_.TryPost([this, line = std::move(line)] { WriteOut(line); })) return;
  unwritten_bytes_ -= bytes;
  ++lost_;
}

std::string ServerLog::LineOf(std::string_view level, std::string_view event,
                              Json::Object fields) const {
  Json line =
      Json::MakeObject({{"time", FormatUtc(unix_ms_())}, {"level", level}, {"event", event}});
  for (Json::Member& field : fields) line.as_object().push_back(std::move(field));
  return line.Dump() + "\n";
}

// On the writer's thread.
void ServerLog::WriteOut(const std::string& line) {
  sink_(line);
  unwritten_bytes_ -= static_cast<int64_t>(line.size());
  const int64_t lost = lost_.exchange(0);
  if (lost == 0) return;
  sink_(LineOf("warning", "log_lines_lost",
               {{"lines", lost}, {"message", "the log was read too slowly to hold them"}}));
}

void ServerLog::Flush() {
  std::promise<void> done;
  writer_.Post([&done] { done.set_value(); });
  done.get_future().wait();
}

}  // namespace fathom
