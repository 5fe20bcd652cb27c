#include "cli/line_reader.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/interrupt.h"

namespace fathom {
namespace {

// The lines of a text that comes through a pipe, in pieces as the reader takes them.
std::vector<std::string> LinesOf(std::string_view text, size_t most_bytes = size_t{64} << 20) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  std::thread writer([text, out = ends[1]]() mutable {
    while (!text.empty()) {
      const ssize_t written = write(out, text.data(), text.size());
      if (written <= 0) break;
      text.remove_prefix(static_cast<size_t>(written));
    }
    close(out);
  });
  Interrupt interrupt;
  LineReader reader(ends[0], interrupt, most_bytes);
  std::vector<std::string> lines;
  std::string line;
  LineReader::Event event = reader.Next(line);
  for (; event == LineReader::Event::kLine; event = reader.Next(line)) {
    lines.push_back(line);
    EXPECT_EQ(reader.line_number(), static_cast<int64_t>(lines.size()));
  }
  if (event == LineReader::Event::kTooLong) {
    lines.push_back("line " + std::to_string(reader.line_number()) + " is too long");
  }
  close(ends[0]);  // a writer that is not at its end has to see it
  writer.join();
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, EndsOfLinesAreOfEitherKindAndTheLastOneMayLackIt) {
  EXPECT_EQ(LinesOf(""), Lines{});
  EXPECT_EQ(LinesOf("a"), Lines{"a"});
  EXPECT_EQ(LinesOf("a\r\nb\n\nc"), (Lines{"a", "b", "", "c"}));
}

TEST(LineReader, ALineThatIsTooLongIsTheLast) {
  const std::string most(5000, 'x');
  EXPECT_EQ(LinesOf("a\n" + most + "\r\n\n" + most, most.size()), (Lines{"a", most, "", most}));
  for (const std::string end : {"", "\n", "\nb\n"}) {
    EXPECT_EQ(LinesOf("a\n" + most + "x" + end, most.size()), (Lines{"a", "line 2 is too long"}));
  }
  signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(LinesOf(std::string(size_t{1} << 20, 'x'), 5000), Lines{"line 1 is too long"});
}

// Read in thousands of pieces: looked through anew for each, it would take a minute.
TEST(LineReader, ALongLineIsLookedThroughOnce) {
  const std::string line(size_t{64} << 20, 'x');
  EXPECT_TRUE(LinesOf(line + "\nb\n" + line) == (Lines{line, "b", line}));
}

TEST(LineReader, ALineMayEndWhereAPieceDoes) {
  for (const size_t size : {4094U, 4095U, 4096U, 4097U, 8191U, 8192U}) {
    const std::string line(size, 'x');
    EXPECT_EQ(LinesOf(line + "\n" + line + "\n"), (Lines{line, line})) << size;
  }
}

}  // namespace
}  // namespace fathom
