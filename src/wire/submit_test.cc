#include "wire/submit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "json/json_writer.h"
#include "wire/spec.h"

namespace gpusched {
namespace {

std::string with(const std::string& fields) {
  return R"({"command":["true"],"working_directory":"/tmp")" +
         std::string(fields.empty() ? "" : ",") + fields + "}";
}

TEST(SpecJson, KeepsEveryField) {
  const std::string json = with(
      R"("shell":true,"umask":63,
      "resource_limits":[{"resource":7,"soft":1,"hard":18446744073709551615}],
      "name":"n","tags":["a","b"],"group":"g","project":"p","key":"k","gpus":{"least":1,"most":4},
      "vram_bytes":5,"share_percent":7,"exclusive":true,"only_cards":[0,2,"big"],"avoid_cards":[1],
      "card_type":"a100","cpus":3,"ram_bytes":9,"cpu_use":"fallback","time_limit_s":60,
      "signal":{"number":10,"before_s":5},"grace_s":3,"after":[{"job":7,"kind":"fail"}],
      "retries":2,"retry_back_off_s":8,"retry_causes":["exit","host_oom"],"restartable":true,
      "preempt":"never","checkpoint":{"signal":12,"grace_s":90},
      "begin":"2026-01-01T08:00:00.000Z","expire":"2026-01-02T08:00:00.250Z",
      "deadline":"2026-01-03T08:00:00.500Z",
      "output_path":"o","error_path":"e\udcff","attach":"pty",
      "terminal":{"rows":24,"columns":80},"array":{"limit":4})");
  const Result<JobSpec> spec = spec_from_json(json);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_TRUE(spec->shell);
  EXPECT_EQ(spec->umask, 63U);
  EXPECT_EQ(*spec->limits, (ResourceLimits{{7, 1, ~0ULL}}));
  EXPECT_EQ(spec->needs.gpus, (CardCount{1, 4}));
  EXPECT_EQ(spec->needs.cards->only.numbers,
            (std::vector<CardNumber>{CardNumber{0}, CardNumber{2}}));
  EXPECT_EQ(spec->needs.cards->only.names, std::vector<std::string>{"big"});
  EXPECT_EQ(spec->needs.cpu_use, CpuUse::kFallback);
  EXPECT_EQ(spec->time, (TimeRule{Seconds{60}, 10, Seconds{5}, Seconds{3}}));
  EXPECT_EQ(spec->extras->after, (std::vector<Dependency>{{JobId{7}, DependencyKind::kFail}}));
  EXPECT_EQ(spec->retry.causes, cause_bit(Cause::kExit) | cause_bit(Cause::kHostOom));
  EXPECT_EQ(spec->extras->error_path, "e\xff");
  EXPECT_EQ(spec->attach, Attach::kPty);
  ASSERT_NE(spec->saves, nullptr);
  EXPECT_EQ(*spec->saves, (SaveTerms{12, Seconds{90}}));
  EXPECT_EQ(spec->extras->array_limit, 4);
  const std::string once = spec_to_json(*spec);
  const Result<JobSpec> again = spec_from_json(once);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(spec_to_json(*again), once);
  EXPECT_EQ(again->needs, spec->needs);
  EXPECT_EQ(again->extras->expire, spec->extras->expire);
  ASSERT_NE(again->saves, nullptr);
  EXPECT_EQ(*again->saves, *spec->saves);
  EXPECT_TRUE(spec->extras->deadline.has_value());
  EXPECT_EQ(again->extras->deadline, spec->extras->deadline);
}

TEST(SpecJson, DefaultsAreThoseOfTheType) {
  const Result<JobSpec> spec = spec_from_json("{}");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec_to_json(*spec), spec_to_json(JobSpec{}));
  EXPECT_EQ(spec_from_json(R"({"gpus":0})")->needs.cpus, 1);
  EXPECT_EQ(spec_from_json(R"({"gpus":0,"cpus":0})")->needs.cpus, 0);
  EXPECT_EQ(spec_from_json(R"({"gpus":2})")->needs.cpus, 0);
}

TEST(SpecJson, AllCardsSurvive) {
  const Result<JobSpec> spec = spec_from_json(R"({"gpus":"all"})");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->needs.gpus.all());
  EXPECT_TRUE(spec_from_json(spec_to_json(*spec))->needs.gpus.all());
}

TEST(SpecJson, AnyBytesSurviveInArguments) {
  JobSpec spec;
  for (int c = 1; c < 256; ++c) spec.argv.push_back(std::string(1, static_cast<char>(c)));
  const Result<JobSpec> again = spec_from_json(spec_to_json(spec));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->argv, spec.argv);
}

struct Bad {
  std::string fields;
  std::string message;
};

TEST(SubmitJson, RefusesWithASentenceThatNamesTheField) {
  const Bad table[] = {
      {R"("priority":101)", "priority must be from 0 to 100"},
      {R"("priority":-1)", "priority must be from 0 to 100"},
      {R"("priority":1.5)", "priority must be a whole number, not a fraction"},
      {R"("priority":"high")", "priority must be a whole number, not a string"},
      {R"("share_percent":101)", "share_percent must be from 0 to 100"},
      {R"("vram_bytes":-5)", "vram_bytes must be from 0 to 1152921504606846976"},
      {R"("name":"a\u0000b")", "name must not contain a NUL byte"},
      {R"("name":"a\nb")", "name must not contain control characters"},
      {R"("name":7)", "name must be a string, not a number"},
      {R"("tags":"x")", "tags must be a list, not a string"},
      {R"("tags":[1])", "tags must be a list of strings, but has a number in it"},
      {R"("tags":[""])", "tags must not hold an empty string"},
      {R"("gpus":-1)",
       "gpus must be a number from 0 to 4096, \"all\", or {\"least\":…,\"most\":…}"},
      {R"("gpus":{"least":3,"most":2})", "gpus.most must not be less than gpus.least"},
      {R"("gpus":{"least":0,"most":2})", "gpus.least must be at least 1 unless gpus.most is 0"},
      {R"("gpus":{"most":2})", "gpus.least is missing"},
      {R"("gpus":{"least":1,"extra":2})", "gpus.extra is not a known field"},
      {R"("gpus":0,"vram_bytes":5)", "vram_bytes needs a card, but gpus is 0"},
      {R"("gpus":0,"share_percent":5)", "share_percent needs a card, but gpus is 0"},
      {R"("only_cards":[1],"avoid_cards":[1])", "only_cards and avoid_cards both name card 1"},
      {R"("only_cards":[-1])", "only_cards must be a list of card numbers, aliases and tags"},
      {R"("cpu_use":"maybe")", "cpu_use must be one of never, prefer, fallback"},
      {R"("shell":1)", "shell must be true or false, not a number"},
      {R"("umask":512)", "umask must be from 0 to 511"},
      {R"("time_limit_s":99999999999)", "time_limit_s must be from 0 to 3162240000"},
      {R"("signal":{"number":10,"before_s":5})", "signal needs a time_limit_s to come before"},
      {R"("vram_bytes":8,"vram_limit_bytes":7)",
       "vram_limit_bytes must not be less than vram_bytes"},
      {R"("gpus":0,"vram_limit_bytes":7)", "vram_limit_bytes needs a card, but gpus is 0"},
      {R"("checkpoint":{"signal":9})", "checkpoint.signal must be one that a program can catch"},
      {R"("checkpoint":{"after_s":9})", "checkpoint.after_s is not a known field"},
      {R"("time_limit_s":5,"signal":{"number":10,"before_s":5})",
       "signal.before_s must be less than time_limit_s"},
      {R"("signal":{"before_s":5})", "signal.number is missing"},
      {R"("after":[{"kind":"ok"}])", "after.job is missing"},
      {R"("after":[{"job":1,"kind":"maybe"}])", "after.kind must be one of ok, any, fail"},
      {R"("after":[{"job":1},{"job":1}])", "after names job 1 twice"},
      {R"("after":[7])", "after must be an object, not a number"},
      {R"("retry_causes":["bored"])", "retry_causes has \"bored\", which is no cause"},
      {R"("begin":"tomorrow")", "begin must be a time like \"2026-01-01T08:00:00Z\""},
      {R"("begin":"2026-01-02T08:00:00Z","expire":"2026-01-01T08:00:00Z")",
       "expire must be later than begin"},
      {R"("begin":"2026-01-02T08:00:00Z","deadline":"2026-01-01T08:00:00Z")",
       "deadline must be later than begin"},
      {R"("environment":["A"])", "environment must be a list of NAME=value"},
      {R"("environment":["=x"])", "environment must be a list of NAME=value"},
      {R"("array":{"indices":""})", "array.indices must not be empty"},
      {R"("array":{"indices":"5-1"})",
       "array.indices must be like 0-99, 1,3,5 or 0-100:10, not \"5-1\""},
      {R"("array":{"indices":"1,1"})", "array.indices has 1 twice"},
      {R"("array":{"limit":3})", "array.indices is missing"},
      {R"("array":{"indices":"0-9"},"tasks":[{}])", "give either array or tasks, not both"},
      {R"("tasks":[])", "tasks must not be empty"},
      {R"("tasks":[{"values":{"lr":1}}])", "tasks.values must be strings, but lr is a number"},
      {R"("tasks":[{"values":{"a b":"1"}}])",
       "tasks.values has a name that is not made of letters, digits, '_', '-', '.'"},
      {R"("attach":"pty","tasks":[{}])", "attach is for a single job, not for an array or sweep"},
      {R"("shell":true,"command":["a"])", "the field \"command\" is given twice"},
      {R"("gpu":1)", "gpu is not a known field; did you mean gpus?"},
      {R"("colour":1)", "colour is not a known field"},
  };
  for (const Bad& bad : table) {
    const Result<SubmitBody> body = parse_submit(with(bad.fields));
    ASSERT_FALSE(body) << bad.fields;
    EXPECT_EQ(body.error().message, bad.message) << bad.fields;
    EXPECT_EQ(body.error().code, ErrorCode::kInvalid);
  }
}

TEST(SubmitJson, RefusesABrokenFrame) {
  EXPECT_EQ(parse_submit("[]").error().message, "must be a JSON object, not a list");
  EXPECT_EQ(parse_submit("{}").error().message, "command must not be empty");
  EXPECT_EQ(parse_submit(R"({"command":[""]})").error().message, "command must not be empty");
  EXPECT_EQ(parse_submit(R"({"command":["a"]})").error().message, "working_directory is missing");
  EXPECT_EQ(parse_submit(R"({"command":["a"],"working_directory":"b"})").error().message,
            "working_directory must be an absolute path, not \"b\"");
  EXPECT_EQ(
      parse_submit(R"({"command":["a","b"],"shell":true,"working_directory":"/"})").error().message,
      "command must be one line when shell is true");
}

TEST(SubmitJson, NullMeansAbsent) {
  const auto body = parse_submit(
      with(R"("priority":null,"gpus":null,"begin":null,"signal":null,"array":null,"tasks":null)"));
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(body->priority, 50);
  EXPECT_FALSE(body->array);
  EXPECT_EQ(body->tasks.size(), 1U);
}

TEST(SubmitJson, ReadsArraysAndSweeps) {
  auto body = parse_submit(with(R"("array":{"indices":"0-20:10,7","limit":2})"));
  ASSERT_TRUE(body) << body.error().message;
  ASSERT_EQ(body->tasks.size(), 4U);
  EXPECT_EQ(body->tasks[1].index, 10U);
  EXPECT_EQ(body->tasks[3].index, 7U);
  EXPECT_EQ(body->spec.extras->array_limit, 2);
  body = parse_submit(with(R"("tasks":[{"values":{"lr":"0.1"}},{}])"));
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_TRUE(body->array);
  EXPECT_EQ(body->tasks[0].values[0], std::pair(std::string("lr"), std::string("0.1")));
  EXPECT_EQ(body->tasks[1].index, 1U);
}

TEST(SubmitJson, BoundsTheNumberOfTasks) {
  SubmitLimits limits{.tasks_most = 3};
  EXPECT_TRUE(parse_submit(with(R"("array":{"indices":"0-2"})"), limits));
  EXPECT_EQ(parse_submit(with(R"("array":{"indices":"0-3"})"), limits).error().code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(parse_submit(with(R"("array":{"indices":"0-4294967294"})"), limits).error().code,
            ErrorCode::kTooLarge);
  EXPECT_FALSE(parse_submit(with(R"("array":{"indices":"99999999999999999999"})"), limits));
  EXPECT_EQ(parse_submit(with(R"("tasks":[{},{},{},{}])"), limits).error().code,
            ErrorCode::kTooLarge);
}

TEST(SubmitJson, BoundsTheParametersOfAJob) {
  const auto task = [](std::size_t count, std::size_t bytes) {
    std::string values;
    for (std::size_t i = 0; i < count; ++i) {
      values += (i == 0 ? "" : ",") + fmt::format(R"("p{:03}":"{}")", i, std::string(bytes, 'x'));
    }
    return parse_submit(with(R"("tasks":[{"values":{)" + values + "}}]"));
  };
  EXPECT_TRUE(task(100, 1));
  EXPECT_EQ(task(101, 1).error().message,
            "a job of a sweep may have at most 100 parameters; this one has 101");
  EXPECT_EQ(task(60'000, 1).error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(task(1, 128 * 1024 - 4));
  EXPECT_EQ(task(2, 64 * 1024).error().message,
            "the parameters of one job may have at most 128 KiB together; these have 129");
  EXPECT_EQ(parse_submit_lines(with("") + "\n{\"values\":{\"a\":\"" + std::string(131'072, 'x') +
                               "\"}}\n")
                .error()
                .message,
            "line 2: the parameters of one job may have at most 128 KiB together; these have 129");
}

TEST(SubmitLines, ReadsPiecesOfAnySize) {
  const std::string lines =
      with("") + "\n{\"values\":{\"lr\":\"1\"}}\n\n{\"values\":{\"lr\":\"2\"}}\r\n{}";
  for (std::size_t step = 1; step <= lines.size(); ++step) {
    SubmitLines reader;
    for (std::size_t at = 0; at < lines.size(); at += step) {
      ASSERT_TRUE(reader.feed(std::string_view(lines).substr(at, step)));
    }
    const auto body = reader.finish();
    ASSERT_TRUE(body) << body.error().message;
    ASSERT_EQ(body->tasks.size(), 3U);
    EXPECT_EQ(body->tasks[1].values[0].second, "2");
    EXPECT_EQ(body->tasks[2].index, 2U);
  }
}

TEST(SubmitLines, SaysWhichLineIsWrong) {
  EXPECT_EQ(parse_submit_lines("").error().message, "the body is empty; its first line is the job");
  EXPECT_EQ(parse_submit_lines(with("")).error().message, "no task follows the first line");
  const std::string message = parse_submit_lines(with("") + "\n{}\n[]\n").error().message;
  EXPECT_EQ(message, "line 3: tasks must be an object, not a list");
  EXPECT_EQ(parse_submit_lines(with(R"("tasks":[{}])") + "\n{}").error().message,
            "line 1: tasks follow as lines; array and tasks have no place");
  EXPECT_EQ(parse_submit_lines(with("") + "\n{}\n{}\n", {.tasks_most = 1}).error().code,
            ErrorCode::kTooLarge);
}

TEST(SubmitJson, FingerprintIsThatOfTheContent) {
  const auto print = [](const std::string& fields) {
    const auto body = parse_submit(with(fields));
    return body ? body->fingerprint : "error: " + body.error().message;
  };
  EXPECT_EQ(print(R"("key":"k")"), print(R"("key":"k","priority":50)"));
  EXPECT_EQ(print(R"("key":"k")"), print(R"("key":"k","environment":["SHLVL=2"],"umask":7)"));
  EXPECT_NE(print(R"("key":"k")"), print(R"("key":"k","priority":51)"));
  EXPECT_NE(print(R"("key":"k")"), print(R"("key":"k","tasks":[{}])"));
  EXPECT_EQ(print(""), "") << "nothing to compare it with";
  EXPECT_EQ(parse_submit(with(R"("key":"k","tasks":[{"values":{"a":"1"}}])"))->fingerprint,
            parse_submit_lines(with(R"("key":"k")") + "\n{\"values\":{\"a\":\"1\"}}")->fingerprint);
}

TEST(PatchJson, TakesOnlyWhatIsGiven) {
  const auto patch = parse_patch(R"({"priority":7,"gpus":2,"tags":["x"],"card_type":""})");
  ASSERT_TRUE(patch) << patch.error().message;
  EXPECT_EQ(patch->priority, 7);
  EXPECT_EQ(patch->values().needs.gpus, (CardCount{2, 2}));
  EXPECT_TRUE(patch->has(&CardFilter::type)) << "given, and empty";
  EXPECT_FALSE(patch->has(&JobSpec::name));
  EXPECT_FALSE(patch->has(&Needs::cpus)) << "the default rule is for submit alone";
}

TEST(PatchJson, ATimeCanBeTakenAway) {
  const auto patch = parse_patch(R"({"deadline":null,"expire":null})");
  ASSERT_TRUE(patch) << patch.error().message;
  JobSpec spec;
  spec.extras.edit().deadline = spec.extras.edit().expire = Wall{Seconds{7}};
  EXPECT_TRUE(patch->applied_to(spec).extras.unset());
}

TEST(PatchJson, AnotherCommandIsJudgedLikeANewOne) {
  const auto words = parse_patch(R"({"command":["x","y"]})");
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_TRUE(words->has(&JobSpec::shell)) << "it is a list of words, whatever it was";
  EXPECT_EQ(parse_patch(R"({"command":["x","y"],"shell":true})").error().message,
            "command must be one line when shell is true");
  EXPECT_EQ(parse_patch(R"({"command":[]})").error().message, "command must not be empty");
  EXPECT_EQ(parse_patch(R"({"working_directory":"here"})").error().message,
            "working_directory must be an absolute path, not \"here\"");
  EXPECT_EQ(parse_patch(R"({"variables":["=x"]})").error().message,
            "variables must be a list of NAME=value, or of NAME to take it away");
  EXPECT_EQ(parse_patch(R"({"command":[")" + std::string(20'000, 'x') + R"("]})").error().message,
            "a new command and its variables may have at most 16384 bytes; these have 20000");
  EXPECT_EQ(parse_patch(R"({"after":[{"job":7},{"job":7}]})").error().message,
            "after names job 7 twice");
  EXPECT_EQ(parse_patch(R"({"before":5,"priority":3})").error().message,
            "before changes the order alone; ask for the rest apart");
}

TEST(PatchJson, RefusesWhatCannotChange) {
  EXPECT_EQ(parse_patch("{}").error().message, "nothing to change is named");
  EXPECT_EQ(parse_patch(R"({"umask":7})").error().message,
            "umask cannot change once a job is submitted");
  EXPECT_EQ(parse_patch(R"({"comand":["x"]})").error().message,
            "comand is not a known field; did you mean command?");
  EXPECT_EQ(parse_patch(R"({"priority":999})").error().message, "priority must be from 0 to 100");
}

}  // namespace
}  // namespace gpusched
