#include "wire/shared_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/submit.h"

namespace gpusched {
namespace {

struct Paths {
  std::string output;
  std::string error = {};
  std::string working_directory = "/w";
};

std::string clash(const Paths& asked, const std::vector<TaskValues>& tasks) {
  return fault_of_shared_files({asked.working_directory, asked.output, asked.error},
                               {tasks.size(),
                                [&](std::size_t i) {
                                  return TaskRef{static_cast<std::uint32_t>(i), tasks[i]};
                                }})
      .value_or("");
}

const std::vector<TaskValues> kArray(100);
const std::vector<TaskValues> kSweep = {
    {{"a", "1"}, {"b", "11"}}, {{"a", "1"}, {"b", "1"}}, {{"a", "11"}, {"b", "1"}}};

TEST(SharedFiles, AFileThatIsTheSameForAllIsRefused) {
  EXPECT_EQ(clash({"run.log"}, kArray),
            "jobs 0 and 1 of the sweep would both write to /w/run.log; put {index} or a parameter "
            "into output_path");
  EXPECT_EQ(clash({"", "/tmp/e"}, kArray),
            "jobs 0 and 1 of the sweep would both write to /tmp/e; put {index} or a parameter into "
            "error_path");
  EXPECT_NE(clash({"{other}.log"}, kArray), "") << "no placeholder of this sweep";
}

TEST(SharedFiles, OneJobMayWriteWhereItLikes) {
  EXPECT_EQ(clash({"run.log"}, {{}}), "");
  EXPECT_EQ(clash({"", ""}, kArray), "");
}

TEST(SharedFiles, AnIndexTellsFilesApart) {
  EXPECT_EQ(clash({"{index}.log"}, kArray), "");
  EXPECT_EQ(clash({"{index}.out", "{index}.err"}, kArray), "");
  EXPECT_EQ(clash({"{index}.log", "{index}.log"}, kArray), "") << "one job's two streams";
  EXPECT_EQ(clash({"run.log", "", "/w/{index}"}, kArray), "") << "each in a directory of its own";
}

TEST(SharedFiles, WhatOneSaysMayBeWhatAnotherComplains) {
  const std::string said = clash({"1{index}", "{index}"}, kArray);
  EXPECT_NE(said.find(" of the sweep would both write to /w/1"), std::string::npos) << said;
}

TEST(SharedFiles, ValuesAreJudgedAsTheyAre) {
  EXPECT_EQ(clash({"{a}-{b}"}, kSweep), "");
  EXPECT_EQ(clash({"{a}{b}"}, kSweep),
            "jobs 0 and 2 of the sweep would both write to /w/111; put {index} or a parameter into "
            "output_path");
  EXPECT_NE(clash({"{a}"}, kSweep), "");
}

TEST(SharedFiles, DevicesMayBeShared) { EXPECT_EQ(clash({"/dev/null"}, kArray), ""); }

TEST(SharedFiles, ASubmissionIsRefusedForThem) {
  const std::string body = R"({{"command":["x"],"working_directory":"/w","output_path":"{}",)"
                           R"("array":{{"indices":"0-9"}}}})";
  EXPECT_TRUE(parse_submit(fmt::format(fmt::runtime(body), "{index}.log")));
  const auto refused = parse_submit(fmt::format(fmt::runtime(body), "run.log"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace gpusched
