#include "tls/context.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_directory.h"
#include "tls/certificate.h"

namespace gpusched::testing {
namespace {

class ServerContext : public ::testing::Test {
 protected:
  ServerContext() : made_(*make_certificate({"localhost"})) {
    put("crt", made_.certificate);
    put("key", made_.key);
  }
  std::string put(const std::string& name, const std::string& text, mode_t mode = 0600) {
    const std::string path = directory_ / name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string path(const std::string& name) const { return directory_ / name; }
  std::string error_with(const std::string& certificate, const std::string& key) {
    const auto context = TlsContext::of_server(certificate, key);
    return context ? "" : context.error().message;
  }

  TemporaryDirectory directory_;
  MadeCertificate made_;
};

TEST_F(ServerContext, KnowsItsFingerprint) {
  const auto context = TlsContext::of_server(path("crt"), path("key"));
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_EQ((*context)->fingerprint(), made_.fingerprint);
}

TEST_F(ServerContext, EveryMistakeNamesItsFile) {
  const std::string crt = path("crt");
  const std::string key = path("key");
  EXPECT_EQ(error_with(path("none"), key),
            "read the certificate " + path("none") + ": No such file or directory");
  EXPECT_EQ(error_with(crt, path("none")),
            "read the key " + path("none") + ": No such file or directory");
  EXPECT_EQ(error_with(directory_ / "", key),
            "read the certificate " + (directory_ / "") + ": it is not a file");
  const std::string words = put("words", "no certificate\n");
  EXPECT_TRUE(error_with(words, key).starts_with("read the certificate " + words + ": "));
  EXPECT_TRUE(error_with(crt, words).starts_with("read the key " + words + ": "));
  const std::string other = put("other", make_certificate({"localhost"})->key);
  EXPECT_EQ(error_with(crt, other),
            "read the key " + other + ": it is not that of the certificate");
  const std::string open = put("open", made_.key, 0644);
  EXPECT_NE(error_with(crt, open).find("everybody can read it"), std::string::npos);
}

TEST_F(ServerContext, AStrictClientNeedsSomebodyToTrust) {
  EXPECT_TRUE(TlsContext::of_strict_client(made_.certificate, true));
  const auto nobody = TlsContext::of_strict_client("no certificate\n", true);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().message, "its ca_file has no certificate in it");
}

}  // namespace
}  // namespace gpusched::testing
