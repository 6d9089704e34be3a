#include "core/access/token.h"

#include <gtest/gtest.h>

#include "core/apply/apply.h"
#include "core/apply/preview.h"
#include "core/state/state.h"

namespace gpusched {
namespace {

const Principal kAda{.uid = 1000, .user = "ml1", .proof = Proof::kPeer};
const Principal kBen{.uid = 1001, .user = "ml2", .proof = Proof::kPeer};
const Principal kBoss{.uid = 0, .user = "root", .role = Role::kAdministrator};

Now in_second(std::int64_t seconds) { return {Wall(Seconds(seconds)), Boot(Seconds(seconds))}; }

TokenMakeAsked token_asked(const Principal& actor, const std::string& id, Role role = Role::kUser) {
  return {actor, {.id = id, .hash = "hash", .uid = 1000, .user = "ml1", .role = role}};
}

constexpr std::optional<RefusalKind> kDone;

std::optional<RefusalKind> token_refusal(const Answer& answer) {
  const auto* refusal = std::get_if<Refusal>(&answer);
  return refusal == nullptr ? std::nullopt : std::optional(refusal->kind);
}

class Tokens : public ::testing::Test {
 protected:
  // A dry run says the same.
  std::optional<RefusalKind> why_not(const TokenMakeAsked& asked, std::int64_t seconds = 10) {
    const auto would = token_refusal(preview(state, asked, in_second(seconds)));
    const auto did = token_refusal(apply(state, asked, in_second(seconds)).answer);
    EXPECT_EQ(would, did);
    return did;
  }

  State state;
};

TEST_F(Tokens, AreMadeForOneselfWithAtMostOnesOwnRole) {
  EXPECT_EQ(why_not(token_asked(kAda, "a")), kDone);
  EXPECT_EQ(why_not(token_asked(kAda, "a")), RefusalKind::kConflict);
  EXPECT_EQ(why_not(token_asked(kAda, "c", Role::kOperator)), RefusalKind::kForbidden);
  Principal viewer = kAda;
  viewer.role = Role::kViewer;
  EXPECT_EQ(why_not(token_asked(viewer, "d", Role::kViewer)), kDone);
  EXPECT_EQ(why_not(token_asked(viewer, "e", Role::kUser)), RefusalKind::kForbidden);
}

TEST_F(Tokens, ForOthersAreMadeByAdministratorsAlone) {
  Principal op = kBen;
  op.role = Role::kOperator;
  for (const Principal& other : {kBen, op}) {
    EXPECT_EQ(why_not(token_asked(other, "a")), RefusalKind::kForbidden);
  }
  EXPECT_EQ(why_not(token_asked(kBoss, "a", Role::kAdministrator)), kDone);
}

TEST_F(Tokens, AnotherTenantIsGivenByAdministratorsAlone) {
  TokenMakeAsked asked = token_asked(kAda, "a");
  asked.token.tenant = "lab";
  EXPECT_EQ(why_not(asked), RefusalKind::kForbidden);
  asked.actor = kBoss;
  EXPECT_EQ(why_not(asked), kDone);
  EXPECT_EQ(state.tokens().at("a").tenant, "lab");
  // One's own may change later, and the token's with it.
  asked = token_asked(kAda, "b");
  asked.token.tenant = "ml1";
  EXPECT_EQ(why_not(asked), kDone);
  EXPECT_EQ(state.tokens().at("b").tenant, "");
}

TEST_F(Tokens, AreBoundedPerUser) {
  for (std::size_t i = 0; i < kTokensPerUser; ++i) {
    EXPECT_EQ(why_not(token_asked(kAda, std::to_string(i))), kDone);
  }
  EXPECT_EQ(why_not(token_asked(kAda, "one more")), RefusalKind::kConflict);
  TokenMakeAsked other{kBen, {.id = "other", .hash = "hash", .uid = 1001, .user = "ml2"}};
  EXPECT_EQ(why_not(other), kDone);
}

TEST_F(Tokens, ThatExpiredLongAgoAreForgotten) {
  TokenMakeAsked asked = token_asked(kAda, "old");
  asked.token.expires_at = Wall(Seconds(100));
  EXPECT_EQ(why_not(asked, 200), RefusalKind::kInvalid);
  EXPECT_EQ(why_not(asked, 10), kDone);
  EXPECT_EQ(why_not(token_asked(kAda, "a"), 1000), kDone);
  EXPECT_TRUE(state.tokens().contains("old")) << "it is still listed";
  EXPECT_EQ(why_not(token_asked(kAda, "b"), 100 + 31 * 86'400), kDone);
  EXPECT_FALSE(state.tokens().contains("old"));
}

TEST_F(Tokens, AreRevokedByTheirOwnerAndAdministrators) {
  for (const char* id : {"a", "b"}) EXPECT_EQ(why_not(token_asked(kAda, id)), kDone);
  const auto revoke = [&](const Principal& actor, const char* id) {
    const TokenRevokeAsked asked{actor, id};
    const auto would = token_refusal(preview(state, asked, in_second(20)));
    const auto did = token_refusal(apply(state, asked, in_second(20)).answer);
    EXPECT_EQ(would, did);
    return did;
  };
  EXPECT_EQ(revoke(kBen, "a"), RefusalKind::kNotFound);
  EXPECT_EQ(revoke(kBen, "x"), RefusalKind::kNotFound);
  EXPECT_EQ(revoke(kAda, "a"), kDone);
  EXPECT_EQ(revoke(kBoss, "b"), kDone);
  EXPECT_TRUE(state.tokens().empty());
}

TEST_F(Tokens, RememberTheirLastUse) {
  EXPECT_EQ(why_not(token_asked(kAda, "a")), kDone);
  apply(state, TokenUsed{"a", Wall(Seconds(50))}, in_second(50));
  apply(state, TokenUsed{"never", Wall(Seconds(50))}, in_second(50));
  EXPECT_EQ(state.tokens().at("a").used_at, Wall(Seconds(50)));
  EXPECT_EQ(state.tokens().size(), 1U);
}

}  // namespace
}  // namespace gpusched
