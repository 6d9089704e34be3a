#include "notify/secret_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched {
namespace {

class SecretFiles : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = directory.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  testing::TemporaryDirectory directory;
};

TEST_F(SecretFiles, AreReadWithoutTheEndOfTheLine) {
  Receiver receiver{.name = "a", .channel = Channel::kWebhook};
  receiver.url_file = file("url", "https://hook.lab.org/x\n");
  receiver.secret_file = file("secret", "abc \n");
  receiver.ca_file = file("ca", "-----\nx\n");
  const auto read = read_secrets(receiver);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->url, "https://hook.lab.org/x");
  EXPECT_EQ(read->secret, "abc");
  EXPECT_EQ(read->ca, "-----\nx\n");
}

TEST_F(SecretFiles, WithoutOneTheAddressIsThatOfTheConfiguration) {
  Receiver receiver{.name = "a", .channel = Channel::kWebhook, .url = "https://x"};
  EXPECT_EQ(read_secrets(receiver)->url, "https://x");
}

TEST_F(SecretFiles, ThatCannotBeUsedAreNamedAndNotQuoted) {
  Receiver receiver{.name = "a", .channel = Channel::kWebhook, .url = "https://x"};
  const std::pair<std::string, std::string> wrong[] = {
      {directory.path() + "/none", "No such file or directory"},
      {directory.path(), "it is not a plain file"},
      {file("empty", "\n"), "it is empty"},
      {file("two", "first\nsecond\n"), "it has more than one line"},
      {file("bytes", "\xff\xfe"), "it is not text"},
      {file("large", std::string(100'000, 's')), "it is too large"},
  };
  for (const auto& [path, why] : wrong) {
    receiver.secret_file = path;
    const auto read = read_secrets(receiver);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "read " + path + ": " + why);
  }
}

}  // namespace
}  // namespace gpusched
