#include "cli/line_reader.h"

#include <gtest/gtest.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/interrupt.h"

namespace fathom {
namespace {

// The lines of a text that comes through a pipe, in pieces as the reader takes them.
std::vector<std::string> LinesOf(std::string_view text) {
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
  LineReader reader(ends[0], interrupt);
  std::vector<std::string> lines;
  for (std::string line; reader.Next(line) == LineReader::Event::kLine;) lines.push_back(line);
  writer.join();
  close(ends[0]);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, EndsOfLinesAreOfEitherKindAndTheLastOneMayLackIt) {
  EXPECT_EQ(LinesOf(""), Lines{});
  EXPECT_EQ(LinesOf("a"), Lines{"a"});
  EXPECT_EQ(LinesOf("a\r\nb\n\nc"), (Lines{"a", "b", "", "c"}));
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
