#include "wire/job.h"

#include <gtest/gtest.h>

#include "json/json_value.h"

namespace gpusched {
namespace {

Job a_job() {
  auto spec = std::make_shared<JobSpec>();
  spec->argv = {"python", "train.py", "--lr", "{lr}", "\xff"};
  spec->working_directory = "/home/ml1";
  spec->name = "sweep";
  auto environment = std::make_shared<Environment>();
  environment->variables = {"TOKEN=secret"};
  spec->environment = environment;
  auto task = std::make_shared<ArrayTask>();
  task->array = JobId{7};
  task->values = {{"lr", "0.1"}};
  Job job;
  job.id = JobId{7};
  job.spec = spec;
  job.task = task;
  job.owner = {1000, 1000, "ml1"};
  job.tenant = "ml1";
  job.attempt = 1;
  Running running;
  running.grant.cards = {{CardNumber{1}, 5, 0, false}};
  running.started_at = Wall{Seconds{1'767'254'400}};
  job.state = running;
  return job;
}

std::vector<Card> two_cards() {
  return {{CardNumber{0}, "GPU-0", "A", 1, 0, true}, {CardNumber{1}, "GPU-1", "A", 1, 0, true}};
}

TEST(JobJson, WritesTheRowOfTheContract) {
  std::string out;
  JsonWriter json(out);
  write_job_row(json, a_job(), {}, two_cards());
  const auto row = parse_json(out);
  ASSERT_TRUE(row) << row.error().message << out;
  EXPECT_EQ(out.find("secret"), std::string::npos);
  EXPECT_NE(out.find(R"({"id":7,"state":"running","priority":50,"attempt":1,"exit_code":null,)"
                     R"("signal":null,"cause":null,"gpus":[{"number":1,"uuid":"GPU-1",)"
                     R"("vram_bytes":5,"share_percent":0,"whole":false}],)"
                     R"("reason":null,"estimated_start":null,"start_unknown":null,)"
                     R"("submitted_at":"1970-01-01T00:00:)"
                     R"(00.000Z","started_at":"2026-01-01T08:00:00.000Z","ended_at":null,)"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"("array":7,"array_index":0,"values":{"lr":"0.1"})"), std::string::npos);
  EXPECT_NE(out.find(R"("needs":{"gpus":{"least":1,"most":1})"), std::string::npos);
}

TEST(JobJson, WhoMayNotSeeWhatItRunsSeesNoValues) {
  Job job = a_job();
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->name = "run {lr}";
  spec->extras.edit().tags = {"lr={lr}"};
  job.spec = spec;
  for (const bool arguments : {false, true}) {
    const RowFacts facts{.reason = {}, .estimated_start = {}, .arguments = arguments};
    std::string row;
    JsonWriter row_json(row);
    write_job_row(row_json, job, facts, two_cards());
    std::string details;
    JsonWriter details_json(details);
    write_job_details(details_json, job, facts, two_cards(), nullptr);
    for (const std::string& out : {row, details}) {
      EXPECT_EQ(out.find("0.1") != std::string::npos, arguments) << out;
      EXPECT_EQ(out.find(R"("name":"run {lr}")") == std::string::npos, arguments) << out;
      EXPECT_EQ(out.find(R"("tags":["lr={lr}"])") == std::string::npos, arguments) << out;
      EXPECT_EQ(out.find(R"("values":{})") == std::string::npos, arguments) << out;
    }
  }
}

TEST(JobJson, WritesTheEnd) {
  Job job = a_job();
  Ended ended;
  ended.outcome = Outcome::kFailed;
  ended.cause = Cause::kHostOom;
  ended.signal = 9;
  ended.message = "out of memory";
  ended.started_at = Wall{};
  ended.usage = std::make_shared<Usage>(Usage{.user_cpu = Microseconds{1'500'000}});
  job.state = ended;
  std::string out;
  JsonWriter json(out);
  write_job_details(json, job, {}, {}, nullptr);
  ASSERT_TRUE(parse_json(out)) << out;
  EXPECT_NE(out.find(R"("exit_code":null,"signal":9,"cause":"host_oom")"), std::string::npos);
  EXPECT_NE(out.find(R"("message":"out of memory")"), std::string::npos);
  EXPECT_NE(out.find(R"("user_cpu_s":1.5)"), std::string::npos) << out;
}

TEST(JobJson, DetailsKeepSecretsForTheOwner) {
  std::string out;
  JsonWriter hidden(out);
  write_job_details(hidden, a_job(), {}, two_cards(), nullptr);
  ASSERT_TRUE(parse_json(out)) << out;
  EXPECT_EQ(out.find("secret"), std::string::npos);
  EXPECT_EQ(out.find("log_path"), std::string::npos);
  EXPECT_NE(out.find(R"("argv":["python","train.py","--lr","0.1","\udcff"])"), std::string::npos)
      << out;
  out.clear();
  const Job job = a_job();
  OwnerFacts owner{.environment = job.spec->environment->variables,
                   .directory = "/d",
                   .control_socket = "/d/s",
                   .log_path = "/d/log"};
  JsonWriter shown(out);
  write_job_details(shown, job, {}, two_cards(), &owner);
  ASSERT_TRUE(parse_json(out)) << out;
  EXPECT_NE(out.find(R"("environment":["TOKEN=secret"],"directory":"/d")"), std::string::npos);
}

}  // namespace
}  // namespace gpusched
