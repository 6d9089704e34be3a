#include "cli/other_tools.h"

#include <gtest/gtest.h>

#include "cli/verb.h"

namespace gpusched::cli {
namespace {

TEST(OtherTools, WhatIsMeantHereExists) {
  for (const char* word : {"kill", "add", "restart", "edit", "list", "rm", "sbatch", "squeue"}) {
    const std::string_view here = verb_here(word);
    EXPECT_NE(find_verb(here.substr(0, here.find_first_of(" ;,"))), nullptr) << word;
    EXPECT_EQ(find_verb(word), nullptr) << word;
  }
  EXPECT_EQ(verb_here("submit"), "");
  EXPECT_EQ(flag_here("--jobId"), "write the job's number alone: 7");
  EXPECT_EQ(flag_here("--gpus"), "");
}

}  // namespace
}  // namespace gpusched::cli
