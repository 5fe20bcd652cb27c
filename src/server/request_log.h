#ifndef FATHOM_SERVER_REQUEST_LOG_H_
#define FATHOM_SERVER_REQUEST_LOG_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/task_threads.h"

namespace fathom {

// The server's log: one JSON object a line, with "time" (UTC, to the millisecond), "level" and
// "event" first. Lines are written on a thread of its own: who reads them slowly, or not at all,
// holds up no request. What finds no room meanwhile is left out, and the log says how much.
// Threads: any; lines are not mixed.
class ServerLog {
 public:
  using Sink = std::function<void(std::string_view line)>;

  // `sink` gets whole lines, one at a time; `unix_ms` is asked for the time of each.
  ServerLog(Sink sink, std::function<int64_t()> unix_ms);

  void Info(std::string_view event, Json::Object fields = {});
  void Warn(std::string_view event, Json::Object fields = {});
  void Error(std::string_view event, Json::Object fields = {});

  // Returns when all lines so far are written.
  void Flush();

  // Says of each name once in the server's life that requests have it and it does nothing.
  void UnknownFields(const std::vector<std::string>& names);
  // Says once that requests ask for a priority and have none.
  void IgnoredPriority();

 private:
  void Write(std::string_view level, std::string_view event, Json::Object fields);
  std::string LineOf(std::string_view level, std::string_view event, Json::Object fields) const;
  void WriteOut(const std::string& line);

  const Sink sink_;
  const std::function<int64_t()> unix_ms_;
  std::mutex mutex_;
  std::set<std::string> known_unknown_;
  std::atomic<bool> said_priority_ = false;
  std::atomic<int64_t> unwritten_bytes_ = 0;
  std::atomic<int64_t> lost_ = 0;  // lines, since the log said so last
  TaskThreads writer_;             // last: it uses all of the above
};

// "2026-11-30T20:15:00.250Z" (RFC 3339) of milliseconds since 1970.
std::string FormatUtc(int64_t unix_ms);

}  // namespace fathom

#endif  // FATHOM_SERVER_REQUEST_LOG_H_
