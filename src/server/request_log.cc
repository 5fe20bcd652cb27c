#include "server/request_log.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
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
         {{"field", name.substr(0, 100)}, {"message", "requests have this field; it is ignored"}});
  }
}

void ServerLog::Write(std::string_view level, std::string_view event, Json::Object fields) {
  Json line =
      Json::MakeObject({{"time", FormatUtc(unix_ms_())}, {"level", level}, {"event", event}});
  for (Json::Member& field : fields) line.as_object().push_back(std::move(field));
  const std::string text = line.Dump() + "\n";
  const std::lock_guard lock(mutex_);
  sink_(text);
}

}  // namespace fathom
