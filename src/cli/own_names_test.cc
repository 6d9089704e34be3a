#include "cli/own_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace gpusched::cli {
namespace {

using Names = std::vector<std::string>;

TEST(OwnNames, AreThoseThatStandBesideTheHostName) {
  constexpr std::string_view kHosts =
      "127.0.0.1 localhost\n"
      "# 10.9.9.9 box old.lab\n"
      "10.0.0.7\tbox.lab  box gpu.lab # the large one\n"
      "10.0.0.8 box2.lab box2\n"
      "fd00::7 box6.lab box";
  EXPECT_EQ(names_beside(kHosts, "box"), (Names{"box.lab", "box", "gpu.lab", "box6.lab"}));
  EXPECT_EQ(names_beside(kHosts, "nobody"), Names{});
  EXPECT_EQ(names_beside("", "box"), Names{});
}

TEST(OwnNames, EndWithThoseOfLoopbackAndAreEachThereOnce) {
  const Names names = own_names();
  ASSERT_GE(names.size(), 3U);
  EXPECT_EQ(Names(names.end() - 2, names.end()), (Names{"127.0.0.1", "::1"}));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(std::ranges::count(names, "localhost"), 1);
}

}  // namespace
}  // namespace gpusched::cli
