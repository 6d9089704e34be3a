#include "core/model/placeholders.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

using Words = std::vector<std::string>;

Job job_of(const JobSpec& spec, TaskValues values = {{"lr", "0.1"}}) {
  Job job;
  job.spec = std::make_shared<JobSpec>(spec);
  job.task = std::make_shared<ArrayTask>(ArrayTask{JobId{1}, 7, std::move(values)});
  return job;
}

TEST(Placeholders, AreFilledInWhereverAJobIsDescribed) {
  JobSpec spec;
  spec.name = "run-{lr}";
  spec.working_directory = "/w/{index}";
  SpecExtras& extras = spec.extras.edit();
  extras.tags = {"lr={lr}", "plain"};
  extras.output_path = "{lr}.log";
  extras.error_path = "/tmp/{index}.err";
  const Job job = job_of(spec);
  EXPECT_EQ(name_of(job), "run-0.1");
  EXPECT_EQ(tags_of(job), (Words{"lr=0.1", "plain"}));
  EXPECT_EQ(working_directory_of(job), "/w/7");
  EXPECT_EQ(output_path_of(job), "/w/7/0.1.log");
  EXPECT_EQ(error_path_of(job), "/tmp/7.err");
  EXPECT_EQ(filled_in_spec(job).extras->output_path, "0.1.log");
}

TEST(Placeholders, ASingleJobHasNone) {
  JobSpec spec;
  spec.name = "{index}";
  Job job;
  job.spec = std::make_shared<JobSpec>(spec);
  EXPECT_EQ(name_of(job), "{index}");
  EXPECT_EQ(output_path_of(job), "");
}

TEST(Placeholders, ALongValueMakesNoLongNameAndNoControlCharacter) {
  JobSpec spec;
  spec.name = "{lr}";
  std::string value = "\x1b";
  while (value.size() < 1000) value += "ä";
  const std::string name = name_of(job_of(spec, {{"lr", value}}));
  EXPECT_EQ(name.size(), 255U);
  EXPECT_TRUE(name.starts_with("?ä") && name.ends_with("ä"));
}

TEST(Placeholders, AJobsOwnVariablesWinAndMayTakeAway) {
  JobSpec spec;
  spec.extras.edit().variables = {"A={lr}", "B", "C={x}"};
  EXPECT_EQ(with_own_variables({"A=old", "B=gone", "AB=stays"}, job_of(spec)),
            (Words{"AB=stays", "A=0.1", "C={x}"}));
}

TEST(Placeholders, OfVariablesThatAreSaidTwiceTheLastCounts) {
  JobSpec spec;
  spec.extras.edit().variables = {"A=1", "B=1", "A=2", "C=1", "C", "D=x=y"};
  EXPECT_EQ(with_own_variables({"A=old", "=odd", "C", "D=old", "C=gone"}, job_of(spec)),
            (Words{"=odd", "C", "B=1", "A=2", "D=x=y"}));
}

TEST(Placeholders, NamesAndTagsStayAsWrittenForWhoSeesNoValues) {
  JobSpec spec;
  spec.name = "run {lr}";
  spec.extras.edit().tags = {"{lr}", "plain"};
  const Job job = job_of(spec, {{"lr", "0.5"}});
  EXPECT_EQ(name_of(job, Values::kShown), "run 0.5");
  EXPECT_EQ(name_of(job, Values::kHidden), "run {lr}");
  EXPECT_EQ(tags_of(job, Values::kShown), (Words{"0.5", "plain"}));
  EXPECT_EQ(tags_of(job, Values::kHidden), (Words{"{lr}", "plain"}));
}

TEST(Placeholders, ParametersAreVariablesWithPlainNames) {
  EXPECT_EQ(parameter_variable("lr"), "GPUSCHED_PARAM_LR");
  EXPECT_EQ(parameter_variable("batch-size.2_x"), "GPUSCHED_PARAM_BATCH_SIZE_2_X");
  const ArrayTask task{JobId{1}, 0, {{"a-b", "1"}, {"A.B", "2"}, {"c", std::string(131'072, 'x')}}};
  EXPECT_EQ(parameter_variables(task), (TaskValues{{"GPUSCHED_PARAM_A_B", "1"}}));
}

}  // namespace
}  // namespace gpusched
