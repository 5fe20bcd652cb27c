#ifndef FATHOM_API_JSON_TEXT_H_
#define FATHOM_API_JSON_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

// JSON written straight into a buffer: a stream writes thousands of small objects a second, for
// which base/json would build and throw away trees. Whatever they are given, what they append is
// valid JSON in UTF-8.

// A string in its quotes. Bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string& out);
void AppendJsonInt(int64_t number, std::string& out);
// The shortest text that reads back as the same double; what is not finite becomes null.
void AppendJsonNumber(double number, std::string& out);
// [1,2,3]
void AppendJsonInts(std::span<const int32_t> numbers, std::string& out);

}  // namespace fathom

#endif  // FATHOM_API_JSON_TEXT_H_
