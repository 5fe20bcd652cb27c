#ifndef FATHOM_NET_MANY_STREAMS_TESTING_H_
#define FATHOM_NET_MANY_STREAMS_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom {

// A POST whose answer ends with the connection: what can be read to its end without understanding
// it.
std::string ClosingPost(std::string_view path, std::string_view body);

struct ManyAnswers {
  std::vector<std::string> heads;  // the first 512 bytes of each answer
  std::vector<std::string> tails;  // and the last 64
  int64_t bytes = 0;               // of all answers
};

// Opens so many connections to a server of this machine at once, sends each the same request, and
// reads all answers to their ends, on the calling thread. CHECK that the connections are accepted.
ManyAnswers ReadManyAnswers(uint16_t port, const std::string& request, int count);

// CPU seconds of the calling thread, and of all threads of the process.
double ThreadCpuSeconds();
double ProcessCpuSeconds();

}  // namespace fathom

#endif  // FATHOM_NET_MANY_STREAMS_TESTING_H_
