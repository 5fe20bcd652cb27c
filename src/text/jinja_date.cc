#include "text/jinja_date.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/format.h"
#include "base/result.h"
#include "text/jinja_error.h"

namespace fathom::jinja {
namespace {

constexpr std::array<const char*, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                              "Thursday", "Friday", "Saturday"};
constexpr std::array<const char*, 12> kMonths = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};

std::optional<int> Number(std::string_view digits) {
  int value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

std::optional<std::chrono::year_month_day> ParseDate(std::string_view date) {
  if (date.size() != 10 || date[4] != '-' || date[7] != '-') return std::nullopt;
  const auto year = Number(date.substr(0, 4));
  const auto month = Number(date.substr(5, 2));
  const auto day = Number(date.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day parsed(std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
  return parsed.ok() ? std::optional(parsed) : std::nullopt;
}

// What one directive writes; nullopt if it is not known.
std::optional<std::string> Directive(char letter, bool short_form,
                                     const std::chrono::year_month_day& date) {
  const std::chrono::sys_days days(date);
  const auto weekday = std::chrono::weekday(days).c_encoding();
  const auto month = static_cast<unsigned>(date.month());
  const auto day = static_cast<unsigned>(date.day());
  const int year = static_cast<int>(date.year());
  const auto padded = [short_form](int value, int width) {
    return short_form ? Format("{}", value) : Format("{:0{}}", value, width);
  };
  const std::string day_name = kDays[weekday];
  const std::string month_name = kMonths[month - 1];
  switch (letter) {
    case 'a':
      return day_name.substr(0, 3);
    case 'A':
      return day_name;
    case 'b':
      return month_name.substr(0, 3);
    case 'B':
      return month_name;
    case 'd':
      return padded(static_cast<int>(day), 2);
    case 'e':
      return short_form ? Format("{}", day) : Format("{:2}", day);
    case 'j': {
      const auto first = std::chrono::sys_days(date.year() / std::chrono::January / 1);
      return padded(static_cast<int>((days - first).count()) + 1, 3);
    }
    case 'm':
      return padded(static_cast<int>(month), 2);
    case 'y':
      return padded(year % 100, 2);
    case 'Y':
      return Format("{}", year);
    case 'F':
      return Format("{:04}-{:02}-{:02}", year, month, day);
    case 'H':
    case 'M':
    case 'S':
      return padded(0, 2);
    case 'I':
      return "12";
    case 'p':
      return "AM";
    case 'T':
      return "00:00:00";
    case '%':
      return "%";
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<std::string> FormatDate(std::string_view format, std::string_view date) {
  const auto parsed = ParseDate(date);
  if (!parsed.has_value()) {
    return TemplateError(Format("strftime_now has no date (\"{}\" is not YYYY-MM-DD)", date));
  }
  std::string out;
  for (size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      out += format[at];
      continue;
    }
    const bool short_form = at + 1 < format.size() && format[at + 1] == '-';
    at += short_form ? 2 : 1;
    const auto text =
        at < format.size() ? Directive(format[at], short_form, *parsed) : std::nullopt;
    if (!text.has_value()) {
      return TemplateError(Format("strftime_now: a directive of \"{}\" is not supported", format));
    }
    out += *text;
  }
  return out;
}

}  // namespace fathom::jinja
