#include "api/authenticate.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

const Peer kRoot{.uid = 0, .gid = 0, .pid = 7};
const Peer kFirst{.uid = 1000, .gid = 100, .pid = 8};

TEST(Authenticate, TakesAUsersAccountFromTheKernel) {
  const auto who = authenticate(kFirst, 0);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->uid, 1000u);
  EXPECT_EQ(who->gid, 100u);
  EXPECT_EQ(who->role, Role::kUser);
  EXPECT_EQ(who->proof, Proof::kPeer);
}

TEST(Authenticate, RootAndTheDaemonsUserAreAdministrators) {
  EXPECT_EQ(authenticate(kRoot, 0)->role, Role::kAdministrator);
  EXPECT_EQ(authenticate(kRoot, 1000)->role, Role::kAdministrator);
  EXPECT_EQ(authenticate(kFirst, 1000)->role, Role::kAdministrator);
}

TEST(Authenticate, AnAddressIsNobody) {
  for (const std::uint32_t uid : {0U, 1000U, UINT32_MAX}) {
    const auto who = authenticate({.uid = uid, .network = true, .address = "127.0.0.1"}, uid);
    ASSERT_FALSE(who);
    EXPECT_NE(who.error().message.find("token"), std::string::npos);
  }
}

TEST(Authenticate, ADaemonOfAUserRefusesAllOthers) {
  const auto who = authenticate(kFirst, 1001);
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, ErrorCode::kForbidden);
  EXPECT_EQ(who.error().message,
            "this daemon belongs to user 1001 and answers only that user and root");
}

}  // namespace
}  // namespace gpusched
