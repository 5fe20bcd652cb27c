#include <poll.h>
#include <sys/poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "api/generation_options.h"
#include "api/input_text.h"
#include "api/prompt.h"
#include "api/reasoning_field.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "cli/loaded_model.h"
#include "cli/model_folder.h"
#include "cli/model_source.h"
#include "cli/progress_printer.h"
#include "cli/sampling_flags.h"
#include "cli/serve_flags.h"
#include "cli/serve_keys.h"
#include "engine/engine.h"
#include "io/file_system.h"
#include "sched/mindie_settings.h"
#include "sched/scheduler_config.h"
#include "server/api_keys.h"
#include "server/known_answer.h"
#include "server/request_log.h"
#include "server/served_model.h"
#include "server/server.h"
#include "server/start_progress.h"
#include "spec/weight_format.h"
#include "text/text_assets.h"

namespace fathom {
namespace {

constexpr const char* kSummary =
    "Serves a model to OpenAI clients: /v1/chat/completions, /v1/completions, /v1/models,\n"
    "/tokenize, /detokenize, /health, /metrics. It listens from the start; /health says what it "
    "is\n"
    "doing until it is ready. SIGTERM and Ctrl-C let running requests finish; a second one ends\n"
    "them with an error. It ends with 0 when all were answered.";
constexpr const char* kExamples =
    "  fathom serve                                 # the bundled demo model on port 8000\n"
    "  fathom serve /models/r1 --host 0.0.0.0 --api-key-file keys.txt\n"
    "  fathom serve /models/v3 --max-model-len 8192 --kv-cache-memory 64G\n"
    "  curl localhost:8000/v1/chat/completions -H 'Content-Type: application/json' \\\n"
    "    -d '{\"messages\": [{\"role\": \"user\", \"content\": \"What is MLA?\"}]}'";

int64_t UnixMilliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// One start of the server, in its phases.
class ServeRun {
 public:
  ServeRun(CommandContext& context, ServeFlags& flags)
      : context_(context),
        flags_(flags),
        log_([&context](std::string_view line) { context.console.Note(line); }, UnixMilliseconds) {}

  Result<ExitCode> Run() {
    FATHOM_OK(ReadSchedule());
    FATHOM_OK(OpenExplanation());
    FATHOM_OK(OpenModel());
    FATHOM_OK(Listen());
    FATHOM_OK(Load());
    FATHOM_OK(Test());
    Start();
    return Wait();
  }

 private:
  Status Listen() {
    FATHOM_TRY(ApiKeys keys, LoadServeKeys(context_, flags_));
    FATHOM_TRY(server_, Server::Listen(flags_.server, std::move(keys), context_.clock, log_));
    context_.console.Note(Format("listening on {}, not ready yet\n", server_->address()));
    return Ok();
  }

  Status ReadSchedule() {
    if (flags_.schedule_policy != "mindie") return Ok();
    if (flags_.mindie_config.empty()) {
      FATHOM_TRY(mindie_, ReadMindiePairs(flags_.schedule, "--schedule"));
    } else {
      FATHOM_TRY(const std::string text, context_.files.ReadText(flags_.mindie_config));
      FATHOM_TRY(mindie_, ReadMindieConfig(text, flags_.mindie_config));
    }
    for (const std::string& note : mindie_->notes) context_.console.Note(note + "\n");
    return Ok();
  }

  Status OpenExplanation() {
    if (flags_.explain_schedule.empty()) return Ok();
    explanation_.open(flags_.explain_schedule, std::ios::app);
    if (!explanation_) {
      return BadInput("the file cannot be written",
                      "--explain-schedule: " + flags_.explain_schedule,
                      "name a file in a folder that you may write to");
    }
    flags_.server.serving.explain = [this](std::string_view line) { Explain(line); };
    return Ok();
  }

  // On the thread that writes explanations.
  void Explain(std::string_view line) {
    if (!explanation_) return;
    explanation_ << line << std::flush;
    if (explanation_) return;
    log_.Warn("explain_schedule", {{"file", flags_.explain_schedule},
                                   {"message", Format("no further steps are written: {}",
                                                      std::generic_category().message(errno))}});
  }

  Status OpenModel() {
    std::string path = flags_.model;
    if (path.empty()) {
      FATHOM_TRY(path, FindDemoModel(context_.files));
    }
    ProgressPrinter printer =
        ConsoleProgress(context_.clock, context_.console, ProgressUnit::kBytes);
    PartOfJob headers(printer, 0, 2);
    FATHOM_TRY(ModelFolder folder,
               OpenModelFolder(context_.files, path, flags_.chat_template, headers));
    folder_.emplace(std::move(folder));
    if (!folder_->text) {
      return BadInput("the folder has no tokenizer.json, and a server needs one", folder_->path,
                      "add the checkpoint's tokenizer files");
    }
    if (mindie_) {
      const std::string cut = CutToModel(folder_->checkpoint.config().max_positions, *mindie_);
      if (!cut.empty()) context_.console.Note(cut + "\n");
    }
    FATHOM_TRY(sizes_, SizeForMachine(*folder_, flags_.run,
                                      {.max_model_len = flags_.run.max_model_len,
                                       .max_num_seqs = flags_.max_num_seqs,
                                       .kv_cache_bytes = flags_.kv_cache_bytes,
                                       .swap_bytes = flags_.swap_bytes,
                                       .prefix_cache = !flags_.no_prefix_caching,
                                       .mindie = mindie_,
                                       .memory_bytes = flags_.memory_bytes}));
    FATHOM_OK(CheckDefaults(folder_->defaults.sampling,
                            JoinPath(folder_->path, "generation_config.json")));
    if (flags_.schedule_policy == "fcfs") sizes_.scheduler.policy = Policy::kFcfs;
    SayWhatIsServed();
    return CheckTemplate();
  }

  void SayWhatIsServed() {
    const std::string defaults = DescribeDefaults(folder_->defaults);
    if (!defaults.empty()) {
      context_.console.Note("generation_config.json: " + defaults + " (requests override)\n");
    }
    const int64_t tokens = sizes_.scheduler.blocks * sizes_.scheduler.block_tokens;
    context_.console.Note(
        Format("KV cache holds {} tokens = {} requests of 1024; a request has at most {} tokens\n",
               WithCommas(tokens), WithCommas(tokens / 1024), WithCommas(sizes_.max_model_len)));
    const int64_t positions = folder_->checkpoint.config().max_positions;
    if (mindie_ || flags_.run.max_model_len > 0 || sizes_.max_model_len >= positions) return;
    context_.console.Note(
        Format("note: the model has {} positions, and the memory for the KV cache holds {} tokens; "
               "a request has at most half of them, so that two run at once. --max-model-len N "
               "says otherwise, up to {}\n",
               WithCommas(positions), WithCommas(tokens), std::min(tokens, positions)));
  }

  // A template that cannot render one message answers no chat. Completions need none.
  Status CheckTemplate() {
    const Json message = Json::MakeObject({{"role", "user"}, {"content", "Hello"}});
    const Result<Prompt> prompt = RenderPrompt(
        *folder_->text, Conversation{Json::Array{message}, Json()}, {.date = LocalDate()});
    if (prompt.ok() && !prompt->ids.empty()) return Ok();
    Error error = prompt.ok() ? BadInput("the chat template renders a message to nothing", "",
                                         "correct it, or give another with --chat-template")
                              : prompt.error();
    if (!flags_.chat_template.empty()) return error;
    context_.console.Note("warning: every chat will be refused, completions will not:\n" +
                          error.ToString());
    return Ok();
  }

  Status Load() {
    ProgressPrinter printer =
        ConsoleProgress(context_.clock, context_.console, ProgressUnit::kBytes);
    StartProgress progress(printer, server_->health());
    PartOfJob weights(progress, 1, 1);
    FATHOM_TRY(loaded_, LoadModel(context_, *folder_, flags_.run, sizes_, false, weights));
    return Ok();
  }

  Status Test() {
    ProgressPrinter printer =
        ConsoleProgress(context_.clock, context_.console, ProgressUnit::kTokens);
    StartProgress progress(printer, server_->health());
    if (flags_.skip_self_test) return Ok();
    progress.Begin(3, 3, "self-test", 0);
    const int64_t vocab = folder_->checkpoint.config().vocab;
    FATHOM_TRY(std::optional<SelfTest> test, LoadSelfTest(context_.files, folder_->path, vocab));
    if (!test) {
      FATHOM_TRY(std::vector<int32_t> prompt,
                 folder_->text->tokenizer.Encode("The capital of France is", false));
      test = SelfTest{std::move(prompt), {}};
    }
    // The known answer is that of the weights as they are stored.
    if (flags_.run.Weights() != WeightFormat::kAuto) test->expected.clear();
    FATHOM_OK(RunSelfTest(*loaded_.engine, *test));
    progress.End();
    return Ok();
  }

  void Start() {
    std::vector<std::string> names = flags_.served_names;
    if (names.empty()) names.push_back(DefaultName());
    ServedModel model{.names = std::move(names),
                      .root = folder_->path,
                      .created = UnixMilliseconds() / 1000,
                      .text = *folder_->text,
                      .defaults = folder_->defaults,
                      .eos_ids = folder_->EosIds(),
                      .vocab = folder_->checkpoint.config().vocab,
                      .max_model_len = sizes_.max_model_len,
                      .reasoning = ParseReasoningField(flags_.reasoning_field).value(),
                      .log_text = flags_.log_text,
                      .allow_priority = flags_.allow_priority};
    if (mindie_) {
      model.max_prompt_tokens = mindie_->MostInputTokens();
      model.max_answer_tokens = mindie_->max_iter_times;
    }
    const std::string name = model.names.front();
    context_.interrupt.WatchCount();
    server_->Start(std::move(model), *loaded_.engine);
    context_.console.Note(Format("ready: {} as '{}'\n", server_->address(), name));
  }

  // The last part of the folder's path, also where that is "." or "..".
  std::string DefaultName() const {
    if (flags_.model.empty()) return "fathom-demo";
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(flags_.model, error);
    const std::filesystem::path folder = (path / "").lexically_normal().parent_path();
    const std::string last = folder.filename().string();
    return last.empty() ? "model" : last;
  }

  Result<ExitCode> Wait() {
    pollfd signal{context_.interrupt.wake_fd(), POLLIN, 0};
    while (!context_.interrupt.requested()) poll(&signal, 1, -1);
    context_.console.Note(
        Format("draining: running requests have at most {} s; a second signal ends them\n",
               flags_.drain_timeout));
    const bool all =
        server_->Drain(flags_.drain_timeout, [this] { return context_.interrupt.count() > 1; });
    server_.reset();
    log_.Flush();  // its last lines come before the last word
    context_.console.Note(all ? "all requests were answered\n"
                              : "not all: requests that still ran were ended with an error, unread "
                                "answers were cut\n");
    return all ? ExitCode::kDone : ExitCode::kInterrupted;
  }

  CommandContext& context_;
  ServeFlags& flags_;
  ServerLog log_;
  std::optional<MindieSettings> mindie_;
  std::ofstream explanation_;
  std::optional<ModelFolder> folder_;
  EngineConfig sizes_;
  LoadedModel loaded_;
  std::unique_ptr<Server> server_;  // last: it uses all of the above
};

}  // namespace

Result<ExitCode> ServeCommand(CommandContext& context, std::span<const std::string> args) {
  ServeFlags flags;
  CommandLine line("serve", kSummary, kExamples);
  flags.Declare(line);
  FATHOM_TRY(const bool go_on, line.Parse(args, context.console));
  if (!go_on) return ExitCode::kDone;
  FATHOM_OK(flags.Check(line));
  return ServeRun(context, flags).Run();
}

}  // namespace fathom
