#include "http/gzip.h"

#include <gtest/gtest.h>

#include "tests/support/gunzip.h"

namespace gpusched::testing {
namespace {

TEST(Gzip, PiecesCanBeReadAsTheyComeAndTogether) {
  const std::string pieces[] = {std::string(300'000, 'a'), "", "b", std::string(70'000, '\xff')};
  Gzip gzip;
  std::string coded, plain;
  bool whole = false;
  for (const std::string& piece : pieces) {
    gzip.add(piece, false, coded);
    plain += piece;
    EXPECT_EQ(gunzip(coded, &whole), plain);
    EXPECT_FALSE(whole);
  }
  gzip.add("end", true, coded);
  EXPECT_EQ(gunzip(coded, &whole), plain + "end");
  EXPECT_TRUE(whole);
  EXPECT_LT(coded.size(), plain.size() / 10);
}

TEST(Gzip, NothingAtAllIsWhole) {
  std::string coded;
  Gzip().add("", true, coded);
  bool whole = false;
  EXPECT_EQ(gunzip(coded, &whole), "");
  EXPECT_TRUE(whole);
}

TEST(Gzip, IsTakenApartIfItIsWholeAndNotTooLong) {
  const std::string plain = std::string(100'000, 'a') + "end";
  std::string coded;
  Gzip().add(plain, true, coded);
  EXPECT_EQ(gpusched::gunzip(coded, plain.size()), plain);
  EXPECT_EQ(gpusched::gunzip(coded, plain.size() - 1), std::nullopt);
  EXPECT_EQ(gpusched::gunzip(coded.substr(0, coded.size() - 1), plain.size()), std::nullopt);
  EXPECT_EQ(gpusched::gunzip("no gzip", 100), std::nullopt);
  EXPECT_EQ(gpusched::gunzip("", 100), std::nullopt);
}

TEST(Gzip, IsTakenByThoseWhoSaySo) {
  for (const char* yes : {"gzip", "deflate, gzip;q=1.0, *;q=0.5", "GZIP", "br , x-gzip", "*",
                          "gzip;q=0.001", "gzip ; q=0.5"}) {
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  }
  for (const char* no :
       {"", "identity", "deflate, br", "gzip;q=0", "*, gzip;q=0.0", "gzip2", "*;q=0", ",;,"}) {
    EXPECT_FALSE(accepts_gzip(no)) << no;
  }
}

}  // namespace
}  // namespace gpusched::testing
