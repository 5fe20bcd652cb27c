#include "net/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <system_error>

#include "base/format.h"
#include "base/result.h"

namespace fathom {
namespace {

TEST(OpenFiles, WhatTheSystemDoesNotAllowIsRefusedWithTheConnectionsThatFit) {
  EXPECT_TRUE(AllowOpenFiles(2, 1).ok());
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const auto most = static_cast<int64_t>(limit.rlim_max);
  const Status status = AllowOpenFiles(int64_t{1} << 40, 3);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(
      status.error().ToString(),
      Format("error: 1099511627779 open files are needed, for 1099511627776 connections and 3 "
             "beside them, and this process may have {}\n"
             "  fix: allow more files (`ulimit -n 1099511627779`, LimitNOFILE= of systemd), "
             "or give --max-connections {}\n",
             most, most - 3));
  const Status none_fits = AllowOpenFiles(1, int64_t{1} << 40);
  ASSERT_FALSE(none_fits.ok());
  EXPECT_EQ(none_fits.error().fix,
            "allow more files (`ulimit -n 1099511627777`, LimitNOFILE= of systemd)");
}

TEST(OpenFiles, ARefusedQueueSaysWhatToDo) {
  EXPECT_EQ(NoEventQueue(std::make_error_code(std::errc::too_many_files_open)).ToString(),
            "error: the system gives no queue for the events of sockets: Too many open files\n"
            "  fix: allow more open files (`ulimit -n`), or have fewer open\n");
}

}  // namespace
}  // namespace fathom
