#include "cli/submit/notes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gpusched::cli {
namespace {

using Sentences = std::vector<std::string>;

Submission swept() {
  Submission submission;
  submission.working_directory = "/data/{lr}";
  submission.output = "logs/{index}.txt";
  submission.parameters = {{"lr", {"0.1", "0.2"}}};
  submission.written = {{"", "train {lr} {other}"}};
  return submission;
}

const std::vector<SweepTask> kTasks = {{{"lr", "0.1"}}, {{"lr", "0.2"}}};

Sentences about(const Submission& submission, const Sentences& there) {
  return notes_on(submission, kTasks, [&](const std::string& path) {
    return std::ranges::find(there, path) != there.end();
  });
}

TEST(Notes, TellOfDirectoriesThatAreNotThere) {
  EXPECT_EQ(about(swept(), {"/data/0.1", "/data/0.1/logs", "/data/0.2", "/data/0.2/logs"}),
            Sentences());
  EXPECT_EQ(about(swept(), {"/data/0.1", "/data/0.1/logs", "/data/0.2"}),
            (Sentences{"the directory of --output /data/0.2/logs does not exist; the job fails at "
                       "its start unless it is made before"}));
  Submission elsewhere = swept();
  elsewhere.elsewhere = true;
  EXPECT_EQ(about(elsewhere, {}), Sentences()) << "nobody sees that machine's directories here";
}

TEST(Notes, TellOfPlaceholdersThatNothingFillsInOutsideTheCommand) {
  Submission submission = swept();
  submission.written.push_back({"--name", "{rl}-${HOME}-{lr}-{ }-{1}"});
  submission.written.push_back({"--env", "X={indx}"});
  submission.working_directory = submission.output = "/";
  EXPECT_EQ(about(submission, {"/"}),
            (Sentences{"--name: nothing fills in {rl}; did you mean {lr}?",
                       "--env: nothing fills in {indx}; did you mean {index}?"}));
  // A variable of a single job may hold what it likes.
  submission.parameters.clear();
  submission.written = {{"--env", "FORMAT={message}"}, {"--output", "/{index}"}};
  EXPECT_EQ(notes_on(submission, {}, [](const std::string&) { return true; }),
            (Sentences{"--output: nothing fills in {index}; it stays as it is"}));
}

}  // namespace
}  // namespace gpusched::cli
