#include "cli/open_in_browser.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "cli/files.h"
#include "tests/support/temporary_directory.h"

namespace gpusched::cli {
namespace {

TEST(OpenInBrowser, TheLinkStandsInAFileOfTheUsersOwn) {
  const testing::TemporaryDirectory home;
  for (const char* variable : {"XDG_RUNTIME_DIR", "HOME"}) {
    const EnvironmentLookup env = [&](const char* name) -> std::optional<std::string> {
      if (std::string_view(name) == variable) return home.path();
      return std::nullopt;
    };
    for (const char* link : {"http://127.0.0.1:1/#login=gpst_a_b", "http://127.0.0.1:1/"}) {
      const auto path = write_leading_file(link, env);
      ASSERT_TRUE(path) << path.error().message;
      EXPECT_TRUE(path->starts_with(home.path()));
      struct stat about {};
      ASSERT_EQ(::stat(path->c_str(), &about), 0);
      EXPECT_EQ(about.st_mode & 0777U, 0600U);
      EXPECT_NE(read_input(*path)->find(std::string(";url=") + link + "\""), std::string::npos);
    }
  }
  EXPECT_FALSE(write_leading_file("http://x/", [](const char*) { return std::nullopt; }));
}

}  // namespace
}  // namespace gpusched::cli
