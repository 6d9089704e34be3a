#include "daemon/options.h"

#include <gtest/gtest.h>

namespace gpusched {
namespace {

TEST(DaemonOptions, TakesValuesInBothForms) {
  const auto options = parse_daemon_options({"--sim", "2x24G", "--state-dir=/s"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->sim, "2x24G");
  EXPECT_EQ(options->state_directory, "/s");
}

TEST(DaemonOptions, SaysWhatIsWrongInOneSentence) {
  EXPECT_EQ(parse_daemon_options({"--simm", "2x24G"}).error().message,
            "unknown argument '--simm'; did you mean --sim?");
  EXPECT_EQ(parse_daemon_options({"--sim"}).error().message, "--sim needs a value");
  EXPECT_EQ(parse_daemon_options({"7"}).error().message, "unknown argument '7'; see --help");
}

}  // namespace
}  // namespace gpusched
