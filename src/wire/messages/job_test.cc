// What the daemon writes of a job by hand is what the list says: each field of the list is in the
// answer and comes back as it was written, and each field of the answer is in a list.
#include "wire/messages/job.h"

#include <gtest/gtest.h>

#include <set>

#include "core/model/spec_fields.h"
#include "json/json_value.h"
#include "wire/job.h"
#include "wire/message_json.h"

namespace gpusched {
namespace {

std::string text_of(const JsonValue& value) {
  std::string text;
  JsonWriter json(text);
  const auto write = [&](const auto& self, const JsonValue& one) -> void {
    if (const auto* list = one.as<JsonArray>()) {
      json.begin_array();
      for (const JsonValue& entry : *list) self(self, entry);
      json.end_array();
    } else if (const auto* object = one.as<JsonObject>()) {
      json.begin_object();
      for (const auto& [name, entry] : *object) {
        json.foreign_key(name);
        self(self, entry);
      }
      json.end_object();
    } else if (const auto* word = one.as<std::string>()) {
      json.value(*word);
    } else if (const auto* fact = one.as<bool>()) {
      json.value(*fact);
    } else if (const auto* whole = one.as<std::uint64_t>()) {
      json.value(static_cast<double>(*whole));
    } else if (const auto* real = one.as<double>()) {
      json.value(*real);
    } else {
      json.null();
    }
  };
  write(write, value);
  return text;
}

struct Written {
  std::string name;  // For messages.
  std::string text;
};

std::shared_ptr<JobSpec> some_spec() {
  auto spec = std::make_shared<JobSpec>();
  spec->argv = {"python", "{lr}"};
  spec->name = "sweep";
  spec->group = "night";
  spec->project = "x";
  spec->needs.vram_bytes = 5;
  spec->extras.edit().tags = {"paper"};
  spec->adopted = std::make_shared<const AdoptedProcess>(
      AdoptedProcess{.pid = 12, .started = Boot{Seconds{9}}, .by_rule = true});
  return spec;
}

Job some_job(JobState state) {
  Job job;
  job.id = JobId{7};
  job.spec = some_spec();
  job.task = std::make_shared<const ArrayTask>(ArrayTask{JobId{7}, 3, {{"lr", "0.1"}}});
  job.owner = {1000, 1000, "ml1"};
  job.tenant = "ml1";
  job.attempt = 2;
  job.failures = 1;
  job.moves = 3;
  job.saved_attempt = 1;
  job.submitted_at = Wall{Seconds{5}};
  job.state = std::move(state);
  return job;
}

Written written(std::string name, const Job& job) {
  const Knowledge known{.advice = "ask for less"};
  const RowFacts facts{.reason = "waits",
                       .estimated_start = Wall{Seconds{6}},
                       .progress = Progress{3, 4},
                       .expected_end = Wall{Seconds{7}},
                       .known = &known,
                       .deadline_warning = "late",
                       .near_cpus = "0-3",
                       .away = Seconds{8}};
  const OwnerFacts owner{.environment = {"A=1"},
                         .directory = "/d",
                         .control_socket = "/d/s",
                         .log_path = "/d/log",
                         .device_filter = "on",
                         .without_mps = "why",
                         .vram_limit_by = "mps"};
  const std::vector<Card> cards = {{CardNumber{1}, "GPU-1", "A", 1, 0, true}};
  std::string text = R"({"jobs":[)";
  JsonWriter json(text);
  write_job_details(json, job, facts, cards, &owner);
  return {std::move(name), text + "]}"};
}

std::vector<Written> answers() {
  Grant grant;
  grant.cards = {{CardNumber{1}, 5, 30, true}};
  grant.mps = true;
  Aside aside;
  aside.phase = AsidePhase::kPaused;
  aside.since = Wall{Seconds{4}};
  aside.for_job = JobId{9};
  aside.host_bytes = 77;
  aside.why = AsideWhy::kIdle;
  aside.wanted = aside.by_hand = true;
  Running running{.grant = grant, .started_at = Wall{Seconds{3}}};
  running.presence = std::make_shared<const Presence>(
      Presence{.place = aside, .failed = FailedMove{.error = "no room"}});
  Ended ended{.outcome = Outcome::kFailed, .cause = Cause::kExit, .exit_code = 3, .signal = 9};
  ended.message = "exited with 3";
  ended.started_at = Wall{Seconds{3}};
  ended.ended_at = Wall{Seconds{4}};
  ended.grant = grant;
  ended.usage = std::make_shared<const Usage>(Usage{.user_cpu = Microseconds{1'500'000},
                                                    .system_cpu = Microseconds{2'500'000},
                                                    .max_rss_bytes = 6,
                                                    .gpu = GpuUsage{1.5, 2, 3, 4, 5.5, 6.5, 7.5}});
  return {written("held", some_job(Held{HoldReason::kCrashGuard})),
          written("queued", some_job(Queued{.retry_at = Wall{Seconds{8}}})),
          written("aside", some_job(running)), written("ended", some_job(ended))};
}

JsonValue only_job(const std::string& text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value->find("jobs")->as<JsonArray>()->front();
}

TEST(JobFields, WhatTheDaemonWritesIsWhatTheClientReads) {
  for (const Written& answer : answers()) {
    const JsonValue job = only_job(answer.text);
    wire::JobDetails read;
    wire::read_message(job, read);
    const auto again = parse_json(wire::to_json(read));
    ASSERT_TRUE(again);
    for (const auto& [name, value] : *again->as<JsonObject>()) {
      const JsonValue* given = job.find(name);
      ASSERT_NE(given, nullptr) << "the daemon does not write " << name << " (" << answer.name
                                << ")";
      EXPECT_EQ(text_of(value), text_of(*given)) << name << " of " << answer.name;
    }
  }
}

TEST(JobFields, NothingThatTheDaemonWritesIsUnknownToTheClient) {
  std::set<std::string, std::less<>> known;
  wire::for_each_field<wire::JobDetails>([&](const auto& row) { known.emplace(row.name); });
  for_each_spec_field([&](const auto& row) {
    if (row.terms.shown != Shown::kNowhere) known.emplace(row.shown_name());
  });
  for (const Written& answer : answers()) {
    const JsonValue job = only_job(answer.text);
    for (const auto& [name, unused] : *job.as<JsonObject>()) {
      EXPECT_TRUE(known.contains(name)) << name << " of " << answer.name;
    }
  }
}

}  // namespace
}  // namespace gpusched
