#include "daemon/job_note.h"

#include <gtest/gtest.h>

namespace gpusched::testing {
namespace {

Job a_job() {
  JobSpec spec{
      .argv = {"python3", "a b\n%.py", "{lr}"}, .working_directory = "/w", .name = "night"};
  spec.needs.gpus = {1, 1};
  spec.needs.vram_bytes = 8ULL << 30;
  Job job;
  job.id = JobId{7};
  job.spec = std::make_shared<const JobSpec>(std::move(spec));
  job.task = std::make_shared<const ArrayTask>(ArrayTask{JobId{5}, 2, {{"lr", "1e-3\t"}}});
  job.tenant = "lab";
  job.priority = 70;
  job.submitted_at = Wall{Seconds{1'700'000'000}};
  job.state = Starting{.grant = {.cards = {{CardNumber{1}, 8ULL << 30, 30, false}}, .cpus = 2}};
  return job;
}

TEST(JobNote, SaysAllButTheEnvironment) {
  const Job job = a_job();
  const auto read = job_of_note(note_of(job));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->spec->argv, job.spec->argv);
  EXPECT_EQ(read->spec->needs, job.spec->needs);
  EXPECT_EQ(read->spec->name, "night");
  ASSERT_NE(read->task, nullptr);
  EXPECT_EQ(read->task->values, job.task->values);
  EXPECT_EQ(read->task->array, JobId{5});
  EXPECT_EQ(read->tenant, "lab");
  EXPECT_EQ(read->priority, 70);
  EXPECT_EQ(read->submitted_at, job.submitted_at);
  EXPECT_EQ(*grant_of(*read), *grant_of(job));
}

TEST(JobNote, IsLeftOutWhereItWouldBeTooLong) {
  Job job = a_job();
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->argv.emplace_back(40'000, 'x');
  job.spec = std::move(spec);
  EXPECT_EQ(note_of(job), "");
}

TEST(JobNote, WhatAJobHoldsIsNeverTooLong) {
  Job job = a_job();
  auto spec = std::make_shared<JobSpec>(*job.spec);
  spec->argv.emplace_back(400'000, 'x');
  spec->name = "run {lr}";
  job.spec = std::move(spec);
  const std::string text = holds_of(job);
  EXPECT_LT(text.size(), 1000U);
  const auto held = held_of_text(text);
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(held->grant, *grant_of(job));
  EXPECT_EQ(held->tenant, "lab");
  EXPECT_EQ(held->name, "run {lr}");
  EXPECT_EQ(held->priority, 70);
  EXPECT_EQ(held->submitted_at, job.submitted_at);
  EXPECT_EQ(held->task, std::pair(JobId{5}, 2U));
  EXPECT_FALSE(held_of_text(text.substr(0, text.size() - 3)));
  EXPECT_FALSE(held_of_text("version=1\nend=1\n"));
}

TEST(JobNote, OneThatIsCutOffOrChangedIsRefused) {
  const std::string note = note_of(a_job());
  EXPECT_FALSE(job_of_note(note.substr(0, note.size() - 3)));
  EXPECT_FALSE(job_of_note("version=1\nend=1\n"));
}

}  // namespace
}  // namespace gpusched::testing
