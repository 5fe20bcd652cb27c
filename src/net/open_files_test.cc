#include "net/open_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <system_error>

namespace fathom {
namespace {

using ::testing::MatchesRegex;

TEST(OpenFiles, WhatTheSystemDoesNotAllowIsRefusedWithBothNumbers) {
  EXPECT_TRUE(AllowOpenFiles(3).ok());
  const Status status = AllowOpenFiles(int64_t{1} << 40);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().ToString(),
              MatchesRegex("error: 1099511627776 open files are needed, and this process may have "
                           "[0-9]+\n"
                           "  fix: allow more files \\(`ulimit -n 1099511627776`, LimitNOFILE= of "
                           "systemd\\), or fewer connections \\(--max-connections\\)\n"));
}

TEST(OpenFiles, ARefusedQueueSaysWhatToDo) {
  EXPECT_EQ(NoEventQueue(std::make_error_code(std::errc::too_many_files_open)).ToString(),
            "error: the system gives no queue for the events of sockets: Too many open files\n"
            "  fix: allow more open files (`ulimit -n`), or have fewer open\n");
}

}  // namespace
}  // namespace fathom
