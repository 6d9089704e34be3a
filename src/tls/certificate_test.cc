#include "tls/certificate.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace gpusched {
namespace {

std::unique_ptr<X509, decltype(&X509_free)> read(const std::string& pem) {
  BIO* bytes = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bytes, nullptr, nullptr, nullptr);
  BIO_free(bytes);
  return {certificate, X509_free};
}

TEST(Certificate, IsForTheNamesAndAddressesThatWereGiven) {
  const auto made = make_certificate({"box.lab", "localhost", "10.0.0.7", "::1"});
  ASSERT_TRUE(made) << made.error().message;
  const auto certificate = read(made->certificate);
  ASSERT_TRUE(certificate);
  for (const char* name : {"box.lab", "localhost"}) {
    EXPECT_EQ(X509_check_host(certificate.get(), name, 0, 0, nullptr), 1) << name;
  }
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "10.0.0.7", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "::1", 0), 1);
  EXPECT_NE(X509_check_host(certificate.get(), "other.lab", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_verify(certificate.get(), X509_get0_pubkey(certificate.get())), 1);
  EXPECT_EQ(fingerprint_of(certificate.get()), made->fingerprint);
  EXPECT_EQ(made->fingerprint.size(), 32U * 3 - 1);
}

TEST(Certificate, HoldsForTenYears) {
  const auto made = make_certificate({"box"});
  ASSERT_TRUE(made);
  const auto certificate = read(made->certificate);
  int days = 0;
  int seconds = 0;
  ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get())), 1);
  EXPECT_NEAR(days, 3650, 1);
  EXPECT_LT(X509_cmp_current_time(X509_get0_notBefore(certificate.get())), 0);
}

TEST(Certificate, TwoOfThemDiffer) {
  EXPECT_NE(make_certificate({"box"})->fingerprint, make_certificate({"box"})->fingerprint);
}

TEST(Certificate, WhatIsNoNameIsRefused) {
  for (const char* name : {"", "a b", "box,DNS:other", "box\n", "email:copy"}) {
    const auto made = make_certificate({"box", name});
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code, ErrorCode::kInvalid);
  }
}

TEST(Certificate, ALongNameHasAShortTitle) {
  EXPECT_TRUE(make_certificate({std::string(100, 'a') + ".lab"}));
}

}  // namespace
}  // namespace gpusched
