#include "cli/completion/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gpusched::cli {
namespace {

const LiveWords kLive = {.jobs =
                             [] {
                               return std::vector<Candidate>{{"7", "running"}, {"12", ""}};
                             },
                         .open_jobs =
                             [] {
                               return std::vector<Candidate>{{"12", "queued"}};
                             },
                         .cards =
                             [] {
                               return std::vector<Candidate>{{"0", "a card"}, {"1", "a card"}};
                             },
                         .groups =
                             [] {
                               return std::vector<Candidate>{{"night", ""}};
                             },
                         .tokens =
                             [] {
                               return std::vector<Candidate>{{"k3mx92ab", "ml1 user"}};
                             },
                         .rules =
                             [] {
                               return std::vector<Candidate>{{"temperature", "a hot card"}};
                             },
                         .silences =
                             [] {
                               return std::vector<Candidate>{{"12", "all"}};
                             },
                         .receivers =
                             [] {
                               return std::vector<Candidate>{{"ops", "slack"}};
                             }};

std::vector<std::string> words_for(std::vector<std::string> typed) {
  std::vector<std::string> words;
  for (const Candidate& candidate : complete(typed, kLive).words) words.push_back(candidate.word);
  return words;
}

using Words = std::vector<std::string>;

TEST(Completion, OffersTheIdsOfTokensWhereOneIsRevoked) {
  EXPECT_EQ(words_for({"token", ""}), (Words{"create", "list", "revoke"}));
  EXPECT_EQ(words_for({"token", "revoke", ""}), (Words{"k3mx92ab"}));
  EXPECT_EQ(words_for({"token", "create", "--role", "op"}), (Words{"operator"}));
}

TEST(Completion, OffersVerbsButNotHiddenOnes) {
  EXPECT_EQ(words_for({"s"}),
            (Words{"submit", "status", "show", "sweep", "set", "serve", "simulate"}));
  EXPECT_EQ(words_for({"__"}), Words{});
}

TEST(Completion, OffersFlagsOfTheVerb) {
  EXPECT_EQ(words_for({"submit", "--gpu"}), (Words{"--gpus", "--gpu", "--gpu-type"}));
  EXPECT_EQ(words_for({"logs", "--fo"}), (Words{"--follow"}));
}

TEST(Completion, OffersValuesThatAFlagKnows) {
  EXPECT_EQ(words_for({"submit", "--priority", "h"}), (Words{"high"}));
  EXPECT_EQ(words_for({"cancel", "--state", "q"}), (Words{"queued"}));
  EXPECT_EQ(words_for({"submit", "--group", ""}), (Words{"night"}));
  EXPECT_TRUE(complete(Words{"submit", "--file", ""}, kLive).files);
}

TEST(Completion, OffersLiveJobs) {
  EXPECT_EQ(words_for({"cancel", "1"}), (Words{"12"}));
  EXPECT_EQ(words_for({"show", ""}), (Words{"7", "12", "last"}));
  EXPECT_EQ(words_for({"group", "s"}), (Words{"set"}));
}

TEST(Completion, OffersWhatCanStillBeChanged) {
  for (const char* verb : {"cancel", "hold", "release", "pause", "resume", "set", "disown"}) {
    EXPECT_EQ(words_for({verb, ""}), (Words{"12", "last"})) << verb;
  }
  EXPECT_EQ(words_for({"cancel", "--state", "pau"}), (Words{"pausing", "paused"}));
}

TEST(Completion, OffersCardsWhereCardsAreMeant) {
  EXPECT_EQ(words_for({"drain", ""}), (Words{"0", "1"}));
  EXPECT_EQ(words_for({"undrain", "1"}), (Words{"1"}));
  EXPECT_FALSE(complete(Words{"drain", ""}, kLive).files);
}

TEST(Completion, OffersRulesSilencesAndReceivers) {
  EXPECT_EQ(words_for({"alerts", "silence", ""}), (Words{"temperature", "all"}));
  EXPECT_EQ(words_for({"alerts", "unsilence", ""}), (Words{"12"}));
  EXPECT_EQ(words_for({"alerts", "test", ""}), (Words{"ops"}));
  EXPECT_EQ(words_for({"alerts", "test", "--rule", "t"}), (Words{"temperature"}));
  EXPECT_EQ(words_for({"alerts", "out"}), (Words{"outbox"}));
  EXPECT_EQ(words_for({"submit", "--notify", "o"}), (Words{"ops"}));
}

TEST(Completion, LeavesTheCommandToTheShell) {
  const Completion after = complete(Words{"submit", "--", "python", "--gp"}, kLive);
  EXPECT_TRUE(after.files);
  EXPECT_TRUE(after.words.empty());
  EXPECT_TRUE(words_for({"nonsense", ""}).empty());
}

}  // namespace
}  // namespace gpusched::cli
