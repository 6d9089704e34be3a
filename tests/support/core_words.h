// What core tests hear in words. The words of all of them stand in one file,
// tests/golden/core/words.txt, under the name of the test: tests compare codes and fields, and a
// sentence is improved by GPUSCHED_UPDATE_GOLDEN=1 core_test and a look at the difference.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "core/model/event.h"
#include "core/model/reason.h"
#include "core/state/state_view.h"
#include "tests/support/core_builders.h"

namespace gpusched::testing {

class GoldenWords : public ::testing::Environment {
 public:
  using Sentences = std::map<std::string, std::vector<std::string>>;

  static GoldenWords& all() {
    static auto* const words = new GoldenWords;  // Google Test deletes its environments itself.
    return *words;
  }

  // The sentence that stands in the file where this one should; empty: there is none.
  std::string take(const std::string& test, const std::string& said) {
    std::vector<std::string>& before = said_[test];
    if (updates()) {
      before.push_back(said);
      return said;
    }
    const std::vector<std::string>& golden = golden_[test];
    if (before.size() >= golden.size()) before.clear();  // It is repeated, or says more.
    before.push_back(said);
    return golden.empty() ? "" : golden[before.size() - 1];
  }

  void SetUp() override {
    golden_.clear();
    said_.clear();
    std::ifstream file(kPath);
    std::string test;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("  ")) {
        golden_[test].push_back(line.substr(2));
      } else if (!line.empty()) {
        test = line;
      }
    }
  }

  // Only a run of all tests knows what nobody says any more.
  void TearDown() override {
    const auto& run = *::testing::UnitTest::GetInstance();
    if (run.test_to_run_count() != run.total_test_count()) return;
    if (updates()) {
      write();
    } else if (run.Passed()) {
      for (const auto& [test, sentences] : golden_) {
        EXPECT_EQ(said_[test], sentences) << "nobody says all of this: " << test;
      }
    }
  }

 private:
  static constexpr const char* kPath = GPUSCHED_GOLDEN_DIRECTORY "/core/words.txt";

  static bool updates() { return std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr; }

  void write() const {
    std::ofstream file(kPath);
    for (const auto& [test, sentences] : said_) {
      file << test << '\n';
      for (const std::string& sentence : sentences) file << "  " << sentence << '\n';
    }
  }

  Sentences golden_;
  Sentences said_;
};
inline ::testing::Environment* const kWords =
    ::testing::AddGlobalTestEnvironment(&GoldenWords::all());

inline void expect_words(const std::string& said, const char* file = __builtin_FILE(),
                         int line = __builtin_LINE()) {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test->test_suite_name()) + "." + test->name();
  const std::string golden = GoldenWords::all().take(name, said);
  if (said != golden) {
    ADD_FAILURE_AT(file, line) << "says:   " << said << "\ngolden: " << golden;
  }
}

inline void expect_reason(ReasonCode code, const Reason& reason,
                          const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (reason.code != code) {
    ADD_FAILURE_AT(file, line) << "waits for " << reason_code_name(reason.code) << ", not "
                               << reason_code_name(code);
  }
  expect_words(describe(reason), file, line);
}

// The first reason why a job waits.
inline Reason reason_of(const StateView& state, std::uint64_t job, Now now) {
  const auto reasons = why_waiting(state, *state.find(JobId{job}), now);
  EXPECT_FALSE(reasons.empty()) << "job " << job << " waits for nothing";
  return reasons.empty() ? Reason{} : reasons.front();
}

inline void expect_refused(RefusalKind kind, const Answer& answer,
                           const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const auto* refusal = std::get_if<Refusal>(&answer);
  if (refusal == nullptr) {
    ADD_FAILURE_AT(file, line) << "not refused";
    return;
  }
  if (refusal->kind != kind) {
    ADD_FAILURE_AT(file, line) << "refused as " << static_cast<int>(refusal->kind) << ", not "
                               << static_cast<int>(kind);
  }
  expect_words(refusal->message, file, line);
}

// What would help, each with its number.
inline void expect_helps(const std::vector<Help>& helps, const Reason& reason,
                         const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (reason.helps != helps) {
    std::string all;
    for (const Help& help : reason.helps) {
      all += " {" + std::to_string(static_cast<int>(help.kind)) + ", " +
             std::to_string(help.value) + ", " + std::to_string(help.asked) + "}";
    }
    ADD_FAILURE_AT(file, line) << "other things would help (kind, value, asked):" << all;
  }
  expect_words(what_would_help(reason), file, line);
}

// A line of a job's trail.
inline void expect_said(const std::string& kind, const TrailEntry& entry,
                        const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (entry.kind != kind)
    ADD_FAILURE_AT(file, line) << "told as " << entry.kind << ", not " << kind;
  expect_words(entry.text, file, line);
}

// It was asked of one job, which stays as it is.
inline void expect_unchanged(std::uint64_t job, const Answer& answer,
                             const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  const auto* changed = std::get_if<Changed>(&answer);
  if (changed == nullptr || changed->unchanged.size() != 1 ||
      changed->unchanged.front().first != JobId{job}) {
    ADD_FAILURE_AT(file, line) << "job " << job << " is not the one that stays as it is";
    return;
  }
  expect_words(changed->unchanged.front().second, file, line);
}

}  // namespace gpusched::testing
