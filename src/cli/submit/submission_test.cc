#include "cli/submit/submission.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "cli/submit/notes.h"
#include "cli/submit/submit_flags.h"
#include "core/model/spec_fields.h"
#include "json/json_value.h"

namespace gpusched::cli {
namespace {

using Texts = std::vector<std::string>;

Surroundings around() {
  Surroundings here;
  here.working_directory = "/home/ml1";
  here.environment = {"PATH=/bin", "LANG=C"};
  here.umask = 027;
  here.limits = {{7, 1024, 4096}};
  here.now = Wall(Seconds{1'767'225'600});  // 2026-01-01T00:00:00Z
  return here;
}

Result<Submission> read(const Texts& words, Texts lines = {}) {
  auto arguments = parse_arguments("submit", kSubmitSections, Operands::kCommand, words);
  if (!arguments) return failure(arguments.error());
  auto submission = read_submission(*arguments, around(), std::move(lines));
  if (!submission) return submission;
  if (auto good = check_submission(*submission); !good) return failure(good.error());
  return submission;
}

JsonValue body_of(const Texts& words, Texts lines = {}) {
  auto submission = read(words, std::move(lines));
  EXPECT_TRUE(submission) << submission.error().message;
  auto tasks = tasks_of(*submission);
  EXPECT_TRUE(tasks);
  auto json = parse_json(write_body(*submission, *tasks).text);
  EXPECT_TRUE(json) << json.error().message;
  return *json;
}

std::string text_at(const JsonValue& json, std::string_view name) {
  const JsonValue* field = json.find(name);
  return field != nullptr && field->as<std::string>() ? *field->as<std::string>() : "(none)";
}

std::uint64_t number_at(const JsonValue& json, std::string_view name) {
  const JsonValue* field = json.find(name);
  return field != nullptr && field->as<std::uint64_t>() ? *field->as<std::uint64_t>() : 999'999;
}

TEST(Submission, SendsOnlyWhatWasSaid) {
  const JsonValue body = body_of({"--", "true"});
  for (const std::string_view name : {"gpus", "vram_bytes", "priority", "name", "after", "retries",
                                      "array", "tasks", "hold", "shell", "attach", "begin"}) {
    EXPECT_EQ(body.find(name), nullptr) << name;
  }
  EXPECT_EQ(text_at(body, "working_directory"), "/home/ml1");
  EXPECT_EQ(number_at(body, "umask"), 027U);
  EXPECT_EQ(body.find("environment")->as<JsonArray>()->size(), 2U);
  EXPECT_EQ(number_at((*body.find("resource_limits")->as<JsonArray>())[0], "hard"), 4096U);
}

TEST(Submission, WritesEveryFlagUnderItsNameInTheApi) {
  const JsonValue body = body_of({"--gpus",
                                  "1-4",
                                  "--vram",
                                  "8G",
                                  "--share",
                                  "30%",
                                  "--exclusive",
                                  "--gpu",
                                  "0,2",
                                  "--not-gpu",
                                  "1",
                                  "--gpu-type",
                                  "a100",
                                  "--cpus",
                                  "2",
                                  "--mem",
                                  "1G",
                                  "--cpu-ok",
                                  "--priority",
                                  "high",
                                  "--time",
                                  "1h30m",
                                  "--signal",
                                  "USR1@60",
                                  "--grace",
                                  "5",
                                  "--after",
                                  "ok:7,any:8",
                                  "--retries",
                                  "2:exit,signal",
                                  "--back-off",
                                  "1m",
                                  "--checkpoint=USR2@90",
                                  "--vram-limit",
                                  "10G",
                                  "--restartable",
                                  "--preempt",
                                  "never",
                                  "--name",
                                  "n",
                                  "--tag",
                                  "a,b",
                                  "--tag",
                                  "c",
                                  "--group",
                                  "g",
                                  "--project",
                                  "p",
                                  "--output",
                                  "out.txt",
                                  "--error",
                                  "err.txt",
                                  "--begin",
                                  "+2h",
                                  "--expire",
                                  "2026-01-02T00:00:00Z",
                                  "--deadline",
                                  "+4h",
                                  "--key",
                                  "k",
                                  "--hold",
                                  "--cwd",
                                  "sub",
                                  "--",
                                  "python",
                                  "x"});
  EXPECT_EQ(number_at(*body.find("gpus"), "least"), 1U);
  EXPECT_EQ(number_at(*body.find("gpus"), "most"), 4U);
  EXPECT_EQ(number_at(body, "vram_bytes"), 8ULL << 30U);
  EXPECT_EQ(number_at(body, "share_percent"), 30U);
  EXPECT_TRUE(*body.find("exclusive")->as<bool>());
  EXPECT_EQ(body.find("only_cards")->as<JsonArray>()->size(), 2U);
  EXPECT_EQ(body.find("avoid_cards")->as<JsonArray>()->size(), 1U);
  EXPECT_EQ(text_at(body, "card_type"), "a100");
  EXPECT_EQ(number_at(body, "cpus"), 2U);
  EXPECT_EQ(number_at(body, "ram_bytes"), 1ULL << 30U);
  EXPECT_EQ(text_at(body, "cpu_use"), "prefer");
  EXPECT_EQ(number_at(body, "priority"), 75U);
  EXPECT_EQ(number_at(body, "time_limit_s"), 5400U);
  EXPECT_EQ(number_at(*body.find("signal"), "number"), static_cast<std::uint64_t>(SIGUSR1));
  EXPECT_EQ(number_at(*body.find("signal"), "before_s"), 60U);
  EXPECT_EQ(number_at(body, "grace_s"), 5U);
  EXPECT_EQ(text_at((*body.find("after")->as<JsonArray>())[1], "kind"), "any");
  EXPECT_EQ(number_at(body, "retries"), 2U);
  EXPECT_EQ(number_at(body, "retry_back_off_s"), 60U);
  EXPECT_EQ(body.find("retry_causes")->as<JsonArray>()->size(), 2U);
  EXPECT_EQ(text_at(body, "preempt"), "never");
  EXPECT_EQ(number_at(*body.find("checkpoint"), "signal"), static_cast<std::uint64_t>(SIGUSR2));
  EXPECT_EQ(number_at(*body.find("checkpoint"), "grace_s"), 90U);
  EXPECT_EQ(number_at(body, "vram_limit_bytes"), 10ULL << 30);
  EXPECT_EQ(body.find("tags")->as<JsonArray>()->size(), 3U);
  EXPECT_EQ(text_at(body, "group"), "g");
  EXPECT_EQ(text_at(body, "output_path"), "out.txt");
  EXPECT_EQ(text_at(body, "error_path"), "err.txt");
  EXPECT_EQ(text_at(body, "begin"), "2026-01-01T02:00:00.000Z");
  EXPECT_EQ(text_at(body, "expire"), "2026-01-02T00:00:00.000Z");
  EXPECT_EQ(text_at(body, "deadline"), "2026-01-01T04:00:00.000Z");
  EXPECT_EQ(text_at(body, "working_directory"), "/home/ml1/sub");
  EXPECT_TRUE(*body.find("hold")->as<bool>());
}

TEST(Submission, CarriesBytesThatAreNotUtf8Unchanged) {
  const std::string odd = "caf\xe9 \xff\xfe \xed\xa0\x80 \xf0\x9f\x98\x80 \"\\\n";
  const JsonValue body = body_of({"--env", "X=" + odd, "--", "echo", odd});
  EXPECT_EQ(*(*body.find("command")->as<JsonArray>())[1].as<std::string>(), odd);
  EXPECT_EQ(*body.find("environment")->as<JsonArray>()->back().as<std::string>(), "X=" + odd);
}

TEST(Submission, ChangesTheEnvironmentAsAsked) {
  const auto environment = [](const Texts& words) { return read(words)->environment; };
  EXPECT_EQ(environment({"--env", "LANG=de", "--", "x"}), (Texts{"PATH=/bin", "LANG=de"}));
  EXPECT_EQ(environment({"--no-env", "--", "x"}), (Texts{}));
  EXPECT_EQ(environment({"--env-none", "--env", "PATH", "--env", "A=1", "--", "x"}),
            (Texts{"PATH=/bin", "A=1"}));
}

TEST(Submission, RunsEachLineAsACommandWithoutOne) {
  const JsonValue body = body_of({"--each-line", "-"}, {"echo a", "echo b"});
  EXPECT_TRUE(*body.find("shell")->as<bool>());
  EXPECT_EQ(*(*body.find("command")->as<JsonArray>())[0].as<std::string>(), "{line}");
  EXPECT_EQ(body.find("tasks")->as<JsonArray>()->size(), 2U);
}

TEST(Submission, WritesManyTasksAsLines) {
  const auto submission = read({"--param", "i=1:1500", "--", "echo", "{i}"});
  const auto tasks = tasks_of(*submission);
  const Body body = write_body(*submission, *tasks);
  EXPECT_TRUE(body.lines);
  EXPECT_EQ(std::count(body.text.begin(), body.text.end(), '\n'), 1501);
  EXPECT_TRUE(body.text.ends_with("\n{\"values\":{\"i\":\"1500\"}}\n"));
  EXPECT_EQ(body.text.find("\"tasks\""), std::string::npos);
}

TEST(Submission, NoticesParametersThatNothingUses) {
  const auto notes = [](const std::vector<std::string>& words) {
    const auto submission = read(words);
    return notes_on(*submission, *tasks_of(*submission), [](const std::string&) { return true; });
  };
  EXPECT_EQ(notes({"--param", "a=1", "--param", "b=1", "--", "x", "{a}"}),
            (Texts{"nothing in the job uses {b}; only the variable GPUSCHED_PARAM_B tells its "
                   "value"}));
  for (const std::string flag : {"--output", "--error", "--name", "--tag", "--cwd", "--env"}) {
    EXPECT_TRUE(notes({"--param", "b=1", flag, "V={b}", "--", "x"}).empty()) << flag;
  }
}

TEST(Submission, ASweepHasNoMoreParametersThanAJobMayHave) {
  std::vector<std::string> words;
  for (int i = 0; i < 101; ++i) words.insert(words.end(), {"--param", fmt::format("p{}=1", i)});
  words.insert(words.end(), {"--", "x"});
  const auto submission = read(words);
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().message,
            "a sweep may have at most 100 parameters; this one has 101");
}

TEST(Submission, VariablesWithPlaceholdersLieOnTopOfWhatAllShare) {
  const JsonValue body = body_of({"--param", "lr=1,2", "--env", "LR={lr}", "--env", "LANG={lr}",
                                  "--env", "A={other}", "--", "x"});
  const auto& own = *body.find("variables")->as<JsonArray>();
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(*own[0].as<std::string>(), "LR={lr}");
  EXPECT_EQ(*own[1].as<std::string>(), "LANG={lr}");
  const auto& shared = *body.find("environment")->as<JsonArray>();
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(*shared[1].as<std::string>(), "A={other}");
  EXPECT_EQ(body_of({"--env", "LR={lr}", "--", "x"}).find("variables"), nullptr);
}

TEST(Submission, JobsThatWouldWriteToOneFileAreRefusedByFlag) {
  const auto fault = [](const Texts& words) {
    const auto submission = read(words);
    const auto tasks = tasks_of(*submission);
    return tasks ? "" : tasks.error().message;
  };
  EXPECT_EQ(fault({"--array", "3-5", "--output", "x.log", "--", "x"}),
            "jobs 3 and 4 of the sweep would both write to /home/ml1/x.log; put {index} or a "
            "parameter into --output");
  EXPECT_EQ(fault({"--param", "a=1,2", "--error", "{a}.log", "--", "x"}), "");
  EXPECT_EQ(fault({"--array", "5-2", "--", "x"}),
            "--array must be like 0-99, 1,3,5 or 0-100:10, not \"5-2\"");
}

TEST(Submission, TheShellIsForALine) {
  EXPECT_EQ(text_at(body_of({"--shell", "bash", "--cmd", "x"}), "shell_program"), "bash");
  EXPECT_EQ(read({"--shell", "bash", "--", "x"}).error().message,
            "--shell: there is no line for it; write the command as --cmd 'LINE'");
  auto arguments =
      *parse_arguments("submit", kSubmitSections, Operands::kCommand, Texts{"--", "x"});
  arguments.add(*find_flag(kSubmitSections, "--shell"), "bash", "gpusched.yaml:1:8");
  const auto submission = read_submission(arguments, around(), {});
  ASSERT_TRUE(submission) << "a default waits for a line";
  EXPECT_EQ(submission->fields, "");
}

TEST(Submission, RefusesBadValuesInOneSentence) {
  const struct {
    Texts words;
    std::string message;
  } cases[] = {
      {{}, "there is no command to run; write it after '--': gpusched submit -- python train.py"},
      {{"--", ""}, "the command is an empty word"},
      {{"--cmd", "x", "--", "y"},
       "--cmd: the command is given twice; use --cmd or '-- COMMAND', not both"},
      {{"--cmd", "  "}, "--cmd: the shell line is empty"},
      {{"--gpus", "two", "--", "x"}, "--gpus: cannot read 'two'; write 2, 1-4, all, or 0 for none"},
      {{"--gpus", "4-1", "--", "x"}, "--gpus: cannot read '4-1'; write 2, 1-4, all, or 0 for none"},
      {{"--gpus", "-1", "--", "x"}, "--gpus: cannot read '-1'; write 2, 1-4, all, or 0 for none"},
      {{"--share", "0", "--", "x"},
       "--share: '0' is no share of a card; write a percentage from 1 to 100"},
      {{"--gpu", "0,,1", "--", "x"},
       "--gpu: cannot read '0,,1'; write card numbers, aliases or tags such as 0,2,left"},
      {{"--cpus", "1.5", "--", "x"}, "--cpus: '1.5' is not a whole number of at least 0"},
      {{"--cpu-ok=maybe", "--", "x"}, "--cpu-ok: 'maybe' is neither prefer nor fallback"},
      {{"--priority", "101", "--", "x"},
       "--priority: '101' is no priority; write 0 to 100, or idle, low, normal, high, urgent"},
      {{"--signal", "FOO@60", "--time", "1h", "--", "x"},
       "--signal: there is no signal 'FOO'; write USR1@60: the signal, and how long before the "
       "time limit"},
      {{"--signal", "USR1", "--", "x"}, "--signal needs a --time to come before"},
      {{"--after", "x:7", "--", "x"},
       "--after: cannot read 'x:7'; write 7, ok:7, any:7,8 or fail:7"},
      {{"--after", "all", "--", "x"}, "--after: a job cannot wait for all jobs; name them"},
      {{"--retries", "2:exot", "--", "x"},
       "--retries: 'exot' is no cause of failure; did you mean exit?"},
      {{"--retries", "-1", "--", "x"}, "--retries: '-1' is not a whole number from 0 to 1000"},
      {{"--checkpoint=FOO", "--", "x"},
       "--checkpoint: there is no signal 'FOO'; write USR1@60: the signal, or none, and how long "
       "saving may take"},
      {{"--checkpoint=9", "--", "x"}, "--checkpoint: no program can catch 9; write USR1"},
      {{"--preempt", "no", "--", "x"}, "--preempt: 'no' is none of auto, cooperative, never"},
      {{"--env", "=x", "--", "x"}, "--env: '=x' is not NAME=VALUE"},
      {{"--env", "UNSET", "--", "x"}, "--env: UNSET is not set here; write UNSET=VALUE"},
      {{"--name", "", "--", "x"}, "--name: is empty"},
      {{"--tag", "a,,b", "--", "x"}, "--tag: a tag is empty"},
      {{"--each-line", "-", "--", "x", "{line}"}, "--each-line: there is no line to run"},
      {{"--array", "0-9", "--param", "a=1", "--", "x"},
       "--array and --param or --each-line exclude each other; use --param index=0:99"},
      {{"--gpus", "0", "--vram", "8G", "--", "x"}, "--vram needs a card, but --gpus is 0"},
      {{"--signal", "USR1@90", "--time", "60", "--", "x"}, "--signal must be less than --time"},
      {{"--gpu", "1,left", "--not-gpu", "left", "--", "x"}, "--gpu and --not-gpu both name 'left'"},
      {{"--name", std::string(256, 'n'), "--", "x"}, "--name has 256 bytes; at most 255 are kept"},
      {{"--begin", "+2h", "--deadline", "+1h", "--", "x"}, "--deadline must be later than --begin"},
      {{"--vram-limit", "1G", "--vram", "2G", "--", "x"},
       "--vram-limit must not be less than --vram"},
      {{"--vram", "8", "--", "x"}, "--vram: '8' is 8 bytes, less than 1 MiB; did you mean 8G?"},
      {{"--mem", "1", "--", "x"}, "--mem: '1' is 1 byte, less than 1 MiB; did you mean 1G?"},
      {{"--vram-limit", "800K", "--", "x"},
       "--vram-limit: '800K' is 800 KiB, less than 1 MiB; did you mean 800M?"},
      {{"--cpus", "99999999", "--", "x"}, "--cpus must be from 0 to 1000000"},
      {{"--shell", "bash -e", "--cmd", "x"}, "--shell: 'bash -e' is not the name of one program"},
      {{"--param", "a-b=1", "--param", "a.b=2", "--", "x"},
       "--param: a-b and a.b would both be the variable GPUSCHED_PARAM_A_B; rename one"},
      {{"--vram-limit", "1G", "--gpus", "0", "--", "x"},
       "--vram-limit needs a card, but --gpus is 0"},
  };
  for (const auto& [words, message] : cases) {
    const auto submission = read(words);
    ASSERT_FALSE(submission) << message;
    EXPECT_EQ(submission.error().message, message);
    EXPECT_EQ(exit_code_of(submission.error().code), 64);
  }
  EXPECT_EQ(read({"--each-line", "-", "--", "echo"}, {"a"}).error().message,
            "the command does not say where the line belongs; write {line} in it");
}

// The fields that are not of the spec, or that `set` says in its own way.
bool apart(std::string_view field) {
  return field == "priority" || field == "hold" || field == "environment" || field == "exclusive" ||
         field == "cpu_use" || field == "working_directory" || field == "after";
}

TEST(Submission, EveryFlagThatIsAFieldIsInTheListAndCanChangeAsThere) {
  for (const FlagSection& section : kSubmitSections) {
    for (const Flag& flag : section.flags) {
      if (flag.field.empty() || apart(flag.field)) continue;
      bool known = false;
      for_each_spec_field([&](const auto& row) {
        if (row.name != flag.field) return;
        known = true;
        EXPECT_EQ(row.terms.set != Settable::kNever, !flag.set_help.empty()) << flag.name;
      });
      EXPECT_TRUE(known) << flag.name;
    }
  }
}

TEST(Submission, TheDocumentsNameTheFlagOfEachField) {
  std::ifstream file(GPUSCHED_GOLDEN_DIRECTORY "/../../docs/api.md");
  std::stringstream text;
  text << file.rdbuf();
  for_each_spec_field([&](const auto& row) {
    const std::string_view flag = flag_of(row.name);
    const std::string cells = flag == row.name ? fmt::format("\n| `{}` | – | ", row.name)
                                               : fmt::format("\n| `{}` | `{}` | ", row.name, flag);
    EXPECT_NE(text.str().find(cells), std::string::npos) << cells;
  });
}

TEST(Submission, ReadsDependenciesInBothForms) {
  const struct {
    std::string text;
    std::vector<std::pair<std::string, std::string>> entries;
  } cases[] = {
      {"7", {{"7", "ok"}}},
      {"7,8", {{"7", "ok"}, {"8", "ok"}}},
      {"any:7,8", {{"7", "any"}, {"8", "any"}}},
      {"7:any,8", {{"7", "any"}, {"8", "ok"}}},
      {"ok:7,fail:8", {{"7", "ok"}, {"8", "fail"}}},
      {"last", {{"last", "ok"}}},
      {"@~1:fail", {{"@~1", "fail"}}},
      {"7-9", {{"7-9", "ok"}}},
  };
  for (const auto& [text, entries] : cases) {
    const auto parsed = parse_after(text);
    ASSERT_TRUE(parsed) << text;
    ASSERT_EQ(parsed->size(), entries.size()) << text;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ((*parsed)[i].selector, entries[i].first) << text;
      EXPECT_EQ((*parsed)[i].kind, entries[i].second) << text;
    }
  }
}

}  // namespace
}  // namespace gpusched::cli
