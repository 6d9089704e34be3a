#include "cli/jobs/job_ids.h"

#include <gtest/gtest.h>

#include "cli/views/views.h"

namespace gpusched::cli {
namespace {

TEST(ExitCodes, AreTheJobsOwn) {
  const auto code = [](const char* json) { return exit_code_of_job(*parse_job(json)); };
  EXPECT_EQ(code(R"({"state":"completed","exit_code":0})"), 0);
  EXPECT_EQ(code(R"({"state":"failed","cause":"exit","exit_code":3})"), 3);
  EXPECT_EQ(code(R"({"state":"failed","cause":"signal","signal":9})"), 137);
  EXPECT_EQ(code(R"({"state":"failed","cause":"timeout","signal":15})"), 124);
  EXPECT_EQ(code(R"({"state":"cancelled","signal":15})"), 130);
  EXPECT_EQ(code(R"({"state":"failed","cause":"cuda_oom","exit_code":1})"), 1);
  EXPECT_EQ(code(R"({"state":"failed","cause":"dependency"})"), 1);
}

}  // namespace
}  // namespace gpusched::cli
