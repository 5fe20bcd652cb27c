#include "cli/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>

#include "io/file_system.h"
#include "io/temp_folder_testing.h"

namespace fathom {
namespace {

// Ctrl-C twice while work goes on that does not look at it, and an output is being written.
[[noreturn]] void InterruptTwice(const std::string& output, bool guarded) {
  std::signal(SIGINT, SIG_DFL);  // also where the tests run in the background
  const std::unique_ptr<FileSystem> files = MakePosixFileSystem();
  const bool installed = Interrupt::Install().ok();
  Interrupt().WatchFlag();
  const auto file = files->Create(output);
  if (!installed || !file.ok()) _exit(1);
  std::unique_ptr<PartialFileGuard> guard;
  if (guarded) guard = std::make_unique<PartialFileGuard>(*files);
  raise(SIGINT);
  if (!files->Exists(output + std::string(kPartialSuffix))) _exit(2);
  raise(SIGINT);
  while (true) pause();
}

TEST(InterruptDeathTest, ASecondCtrlCRemovesWhatIsHalfWritten) {
  const TempFolder folder;
  EXPECT_EXIT(InterruptTwice(folder / "bare", false), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(InterruptTwice(folder / "out", true), testing::ExitedWithCode(130), "");
  const std::unique_ptr<FileSystem> files = MakePosixFileSystem();
  EXPECT_TRUE(files->Exists(folder / "bare.fathom-partial")) << "the guard has nothing to do";
  EXPECT_FALSE(files->Exists(folder / "out.fathom-partial"));
}

TEST(Interrupt, AGuardThatIsNotNeededEnds) {
  const std::unique_ptr<FileSystem> files = MakePosixFileSystem();
  for (int i = 0; i < 3; ++i) const PartialFileGuard guard(*files);
}

// What a shell without job control gives to a job in the background.
[[noreturn]] void InterruptWhatIgnoresIt() {
  std::signal(SIGINT, SIG_IGN);
  const bool installed = Interrupt::Install().ok();
  Interrupt interrupt;
  interrupt.WatchFlag();
  raise(SIGINT);
  if (!installed || interrupt.requested()) _exit(1);
  raise(SIGTERM);
  _exit(interrupt.requested() ? interrupt.exit_code() : 2);
}

TEST(InterruptDeathTest, CtrlCStaysIgnoredWhereItWasAndSigtermEndsTheProgram) {
  EXPECT_EXIT(InterruptWhatIgnoresIt(), testing::ExitedWithCode(143), "");
}

[[noreturn]] void InstallWithoutFiles() {
  rlimit limit{3, 3};
  setrlimit(RLIMIT_NOFILE, &limit);
  const Status installed = Interrupt::Install();
  if (installed.ok()) _exit(1);
  const std::string text = installed.error().ToString();
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  _exit(0);
}

TEST(InterruptDeathTest, WithoutRoomForFilesItIsAnError) {
  EXPECT_EXIT(InstallWithoutFiles(), testing::ExitedWithCode(0),
              "error: cannot make a pipe for signals: Too many open files\n"
              "  fix: raise the limit of open files");
}

}  // namespace
}  // namespace fathom
