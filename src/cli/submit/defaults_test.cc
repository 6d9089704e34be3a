#include "cli/submit/defaults.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/submit/origin.h"
#include "cli/submit/submit_flags.h"
#include "config/config_file.h"

namespace gpusched::cli {
namespace {

class DefaultsTest : public ::testing::Test {
 protected:
  DefaultsTest() {
    std::string pattern = ::testing::TempDir() + "defaults-XXXXXX";
    place_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(place_ / "project" / "deep");
    asked_ = {.working_directory = place_ / "project" / "deep",
              .own_file = place_ / "submit.yaml",
              .uid = ::geteuid()};
  }
  ~DefaultsTest() override { std::filesystem::remove_all(place_); }

  void write(const std::string& name, const std::string& text, ::mode_t mode = 0644) {
    const std::string path = place_ / name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
  }
  Result<Defaults> find() { return find_defaults(asked_, kSubmitSections); }
  // The value that counts, and where it is written.
  std::string value(const std::string& flag) {
    auto found = find();
    if (!found) return found.error().message;
    Arguments arguments;
    fill_from_defaults(arguments, *found);
    const FlagValue* value = arguments.find(flag);
    if (value == nullptr) return "";
    return value->text + " from " + value->where.substr(place_.string().size() + 1);
  }

  std::filesystem::path place_;
  DefaultsAsked asked_;
};

TEST_F(DefaultsTest, AreFoundUpwardsAndTheProjectWinsOverTheUser) {
  EXPECT_EQ(value("--vram"), "");
  write("submit.yaml", "vram: 8G\npriority: low\n");
  EXPECT_EQ(value("--vram"), "8G from submit.yaml:1:7");
  write("project/gpusched.yaml", "vram: 12G\n");
  EXPECT_EQ(value("--vram"), "12G from project/gpusched.yaml:1:7");
  EXPECT_EQ(value("--priority"), "low from submit.yaml:2:11");
  write("project/deep/gpusched.yaml", "# nothing\n");
  EXPECT_EQ(value("--vram"), "8G from submit.yaml:1:7") << "the nearest one alone counts";
}

TEST_F(DefaultsTest, VariablesAddUp) {
  write("submit.yaml", "env: {A: 1, B: 1}\n");
  write("project/gpusched.yaml", "env: {A: 2}\n");
  Arguments arguments;
  fill_from_defaults(arguments, *find());
  std::vector<std::string> texts;
  for (const FlagValue* one : arguments.all("--env")) texts.push_back(one->text);
  EXPECT_EQ(texts, (std::vector<std::string>{"A=1", "B=1", "A=2"}));
}

TEST_F(DefaultsTest, WhoAsksForNoCardGetsNothingThatNeedsOne) {
  write("submit.yaml", "vram: 8G\nname: mine\n");
  write("project/gpusched.yaml", "gpus: 0\n");
  Arguments arguments;
  const auto taken = fill_from_defaults(arguments, *find());
  EXPECT_FALSE(arguments.has("--vram")) << "the stronger file asks for no card";
  EXPECT_EQ(arguments.text("--name"), "mine");
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].flag->name, "--gpus");
}

TEST_F(DefaultsTest, ARefusalNamesTheDefaultThatCausesIt) {
  write("project/gpusched.yaml", "vram: 900G\ngroup: night\n");
  const std::string path = place_ / "project" / "gpusched.yaml";
  Arguments arguments;
  const auto taken = fill_from_defaults(arguments, *find());
  const auto told = [&](ErrorCode code, std::string words) {
    return with_origin({code, std::move(words)}, taken).message;
  };
  const std::string vram = "; vram is a default of " + path + ":1:7";
  EXPECT_EQ(told(ErrorCode::kInvalid, "--vram needs a card"), "--vram needs a card" + vram);
  EXPECT_EQ(told(ErrorCode::kNeverFits, "no card can hold 900.0 GiB"),
            "no card can hold 900.0 GiB" + vram);
  EXPECT_EQ(told(ErrorCode::kForbidden, "'night' is for others"),
            "'night' is for others; group is a default of " + path + ":2:8");
  EXPECT_EQ(told(ErrorCode::kInvalid, "--name is too long"), "--name is too long");
  EXPECT_EQ(told(ErrorCode::kInvalid, path + ":1:7: vram: no"), path + ":1:7: vram: no");
  EXPECT_EQ(told(ErrorCode::kUnavailable, "no group answers"), "no group answers");
}

TEST_F(DefaultsTest, WhatAGroupCanWriteDoesNotCount) {
  write("project/gpusched.yaml", "vram: 12G\n", 0664);
  const std::string path = place_ / "project/gpusched.yaml";
  constexpr gid_t kSomeGroup = 54321;
  if (::chown(path.c_str(), static_cast<uid_t>(-1), kSomeGroup) != 0) GTEST_SKIP() << "not root";
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->files.empty());
  ASSERT_EQ(found->passed_over.size(), 1U);
  EXPECT_TRUE(found->passed_over[0].ends_with("is not read: a group may write to it"))
      << found->passed_over[0];
}

TEST_F(DefaultsTest, WhatOthersCanWriteDoesNotCount) {
  write("project/gpusched.yaml", "vram: 12G\n", 0666);
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->files.empty());
  ASSERT_EQ(found->passed_over.size(), 1U);
  EXPECT_TRUE(
      found->passed_over[0].ends_with("gpusched.yaml is not read: everybody may write to it"))
      << found->passed_over[0];
}

TEST_F(DefaultsTest, WhatLiesWhereOthersMayPutFilesDoesNotCount) {
  write("project/gpusched.yaml", "vram: 12G\n");
  ASSERT_EQ(value("--vram"), "12G from project/gpusched.yaml:1:7");
  const std::string project = place_ / "project";
  for (const ::mode_t mode : {0777, 01777}) {
    ASSERT_EQ(::chmod(project.c_str(), mode), 0);
    const auto found = find();
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->files.empty());
    ASSERT_EQ(found->passed_over.size(), 1U);
    EXPECT_EQ(found->passed_over[0],
              project + "/gpusched.yaml is not read: everybody may write to its directory");
  }
  ::chmod(project.c_str(), 0755);
  constexpr uid_t kSomebody = 54321;
  if (::chown(project.c_str(), kSomebody, static_cast<gid_t>(-1)) != 0) GTEST_SKIP() << "not root";
  EXPECT_EQ(find()->passed_over.at(0),
            project + "/gpusched.yaml is not read: its directory belongs to another user");
}

TEST_F(DefaultsTest, ALinkThatLeadsNowhereIsPassedOver) {
  write("submit.yaml", "vram: 8G\n");
  const std::string path = place_ / "project/deep/gpusched.yaml";
  for (const char* target : {"gone.yaml", "gpusched.yaml"}) {
    ASSERT_EQ(::symlink(target, path.c_str()), 0);
    EXPECT_EQ(value("--vram"), "8G from submit.yaml:1:7");
    EXPECT_EQ(find()->passed_over.at(0), path + " is not read: the link leads nowhere");
    ::unlink(path.c_str());
  }
}

TEST_F(DefaultsTest, WhatAnotherUserOwnsDoesNotCount) {
  if (::geteuid() == 0) GTEST_SKIP() << "root owns whatever it writes";
  write("project/gpusched.yaml", "vram: 12G\n");
  asked_.uid = ::geteuid() + 1;
  ASSERT_EQ(find()->passed_over.size(), 1U);
  EXPECT_NE(find()->passed_over[0].find("it belongs to another user"), std::string::npos);
}

TEST_F(DefaultsTest, APipeDoesNotHoldAnybodyUp) {
  ::mkfifo((place_ / "project" / "gpusched.yaml").c_str(), 0600);
  EXPECT_NE(find()->passed_over.at(0).find("it is not a file"), std::string::npos);
}

TEST_F(DefaultsTest, TheDaemonsConfigurationIsNoneOfThem) {
  write("project/gpusched.yaml", default_config_text() + "scheduling:\n");
  write("submit.yaml", "vram: 8G\n");
  EXPECT_EQ(value("--vram"), "8G from submit.yaml:1:7");
}

TEST_F(DefaultsTest, AMistakeIsNamedWithItsPlace) {
  write("project/gpusched.yaml", "gpus: 1\nvramm: 8G\n");
  const std::string path = place_ / "project" / "gpusched.yaml";
  EXPECT_EQ(find().error().message, path + ":2:1: there is no key 'vramm'; did you mean vram?");
  write("project/gpusched.yaml", "command: [x]\n");
  EXPECT_EQ(find().error().message,
            path + ":1:1: command belongs to one job; it cannot be a default");
  write("project/gpusched.yaml", "array: 0-9\n");
  EXPECT_EQ(find().error().message,
            path + ":1:1: array belongs to one job; it cannot be a default");
  write("project/gpusched.yaml", "a: [\n");
  EXPECT_TRUE(find().error().message.starts_with(path + ":")) << find().error().message;
}

}  // namespace
}  // namespace gpusched::cli
