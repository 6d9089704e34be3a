#include "cli/render/sweep_jobs.h"

#include <gtest/gtest.h>

#include "cli/csv.h"

namespace gpusched::cli {
namespace {

std::vector<JobView> three_jobs_of_a_sweep() {
  std::vector<JobView> jobs(3);
  const char* rates[] = {"0.1", "1e-2", "0.5"};
  const char* said[] = {"loss=10.5 acc=0.2", "loss=9", ""};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].id = 10 + i;
    jobs[i].state = "completed";
    jobs[i].values = {{"lr", rates[i]}};
    jobs[i].said = said[i];
  }
  return jobs;
}

std::string sorted(const SweepOrder& order) {
  SweepJobs table(three_jobs_of_a_sweep(), {});
  if (auto done = table.sort(order); !done) return done.error().message;
  return table.csv();
}

TEST(SweepJobs, HaveAColumnForEachParameterAndEachNameThatWasSaid) {
  EXPECT_EQ(sorted({}),
            "id,lr,state,time,progress,loss,acc\n"
            "10,0.1,completed,,,10.5,0.2\n"
            "11,1e-2,completed,,,9,\n"
            "12,0.5,completed,,,,\n");
}

TEST(SweepJobs, AreSortedByNumbersAsNumbersAndTheUnknownComesLast) {
  const auto ids = [](const std::string& csv) {
    std::string out;
    for (std::size_t at = csv.find('\n'); at + 1 < csv.size(); at = csv.find('\n', at + 1)) {
      out += csv.substr(at + 1, 2) + " ";
    }
    return out;
  };
  EXPECT_EQ(ids(sorted({.by = "loss"})), "11 10 12 ");
  EXPECT_EQ(ids(sorted({.by = "loss", .reversed = true})), "10 11 12 ");
  EXPECT_EQ(ids(sorted({.by = "lr"})), "11 10 12 ");
  EXPECT_EQ(ids(sorted({.by = "lr", .reversed = true, .most = 1})), "12 ");
  EXPECT_EQ(sorted({.by = "los"}),
            "--sort: there is no column 'los'; one of id, lr, state, time, progress, loss, acc");
}

TEST(SweepJobs, KeepWordsThatAreNoNamesTogether) {
  std::vector<JobView> jobs = three_jobs_of_a_sweep();
  jobs.resize(1);
  jobs[0].said = "epoch 3, loss=1";
  EXPECT_EQ(SweepJobs(jobs, {}).csv(),
            "id,lr,state,time,progress,said\n10,0.1,completed,,,\"epoch 3, loss=1\"\n");
}

TEST(Csv, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(csv_line({"a", "b,c", "say \"x\"", "two\nlines", ""}),
            "a,\"b,c\",\"say \"\"x\"\"\",\"two\nlines\",\n");
}

TEST(Csv, NothingInItMovesACursor) {
  EXPECT_EQ(csv_line({"\x1b]0;mine\x07", "back\rhome", "tab\t", "\xc2\x9b", "\xe2\x80\xae", "ä"}),
            "\\x1b]0;mine\\x07,back\\rhome,tab\\t,\\x9b,\\u202e,ä\n");
}

}  // namespace
}  // namespace gpusched::cli
