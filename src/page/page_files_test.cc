// What was embedded is a page that a browser can show, and small.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "page/page_file.h"
#include "tests/support/gunzip.h"

namespace gpusched::testing {
namespace {

// Of what a browser fetches before it shows something, and of all that the daemon carries.
constexpr std::size_t kFirstViewMost = 150U << 10;
constexpr std::size_t kAllMost = 400U << 10;

class PageFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page_files().empty()) GTEST_SKIP() << "this build has no page";
  }
  static const PageFile* find(std::string_view path) {
    const auto found = std::ranges::find(page_files(), path, &PageFile::path);
    return found == page_files().end() ? nullptr : &*found;
  }
  static std::string text_of(const PageFile& file) {
    bool whole = false;
    std::string text = gunzip(std::string(file.gzip.begin(), file.gzip.end()), &whole);
    EXPECT_TRUE(whole) << file.path;
    return text;
  }
  // Scripts and styles that an index names, modules that a script imports at once.
  static std::vector<std::string> loaded_with(const PageFile& file) {
    const bool script = file.path.ends_with(".js");
    if (!script && !file.path.ends_with(".html")) return {};
    const std::regex named(script ? R"re(\b(?:from|import)\s*"\./([\w.-]+\.js)")re"
                                  : R"re((?:src|href)="\.?/?(assets/[\w.-]+)")re");
    const std::string text = text_of(file);
    std::vector<std::string> names;
    for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it) {
      names.push_back((script ? "assets/" : "") + (*it)[1].str());
    }
    return names;
  }
};

TEST_F(PageFiles, AreWholeAndInOrder) {
  EXPECT_TRUE(std::ranges::is_sorted(page_files(), {}, &PageFile::path));
  for (const PageFile& file : page_files()) {
    EXPECT_EQ(text_of(file).size(), file.bytes) << file.path;
    EXPECT_FALSE(file.type.empty());
    EXPECT_TRUE(std::regex_match(std::string(file.tag), std::regex("W/\"[0-9a-f]{16}\"")));
  }
}

TEST_F(PageFiles, TheFirstViewIsSmall) {
  std::set<std::string> wanted = {"index.html"};
  std::vector<std::string> open = {"index.html"};
  std::size_t first = 0;
  while (!open.empty()) {
    const PageFile* file = find(open.back());
    ASSERT_NE(file, nullptr) << open.back();
    open.pop_back();
    first += file->gzip.size();
    for (const std::string& name : loaded_with(*file)) {
      if (wanted.insert(name).second) open.push_back(name);
    }
  }
  RecordProperty("bytes", static_cast<int>(first));
  EXPECT_GE(wanted.size(), 2U);
  EXPECT_LE(first, kFirstViewMost) << "index, its scripts and styles, and what these import";
}

TEST_F(PageFiles, AllOfThemTogetherAreNotLarge) {
  std::size_t all = 0;
  for (const PageFile& file : page_files()) all += file.gzip.size();
  RecordProperty("bytes", static_cast<int>(all));
  EXPECT_LE(all, kAllMost);
}

TEST_F(PageFiles, TheIndexNamesFilesThatAreThereAndNothingElse) {
  const PageFile* index = find("index.html");
  ASSERT_NE(index, nullptr);
  const std::string text = text_of(*index);
  const std::regex named(R"re((?:src|href)="([^"]*)")re");
  int count = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it, ++count) {
    std::string path = (*it)[1];
    if (path.starts_with("./")) path = path.substr(2);
    if (path.starts_with("/")) path = path.substr(1);
    EXPECT_NE(find(path), nullptr) << "nothing is loaded from elsewhere: " << (*it)[1];
  }
  EXPECT_GT(count, 0);
}

// The policy that the daemon sends with it allows neither.
TEST_F(PageFiles, TheIndexHasNoScriptAndNoStyleInside) {
  const PageFile* index = find("index.html");
  ASSERT_NE(index, nullptr);
  const std::string text = text_of(*index);
  EXPECT_FALSE(std::regex_search(text, std::regex(R"(<script(?![^>]*\ssrc=))"))) << text;
  EXPECT_FALSE(std::regex_search(text, std::regex(R"(<style|\sstyle=|\son\w+=)"))) << text;
}

// A name below assets/ is kept by browsers for a year: it must change with what it names.
TEST_F(PageFiles, AssetsHaveTheirVersionInTheirName) {
  for (const PageFile& file : page_files()) {
    if (!file.path.starts_with("assets/")) continue;
    EXPECT_TRUE(
        std::regex_match(std::string(file.path), std::regex(R"(assets/[\w.-]+-[\w-]{8}\.\w+)")))
        << file.path;
  }
}

}  // namespace
}  // namespace gpusched::testing
