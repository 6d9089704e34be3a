#include <gtest/gtest.h>

#include <array>

#include "base/result.h"

namespace gpusched {
namespace {

constexpr std::array kAllCodes = {
    ErrorCode::kInvalid,         ErrorCode::kNotFound, ErrorCode::kForbidden,
    ErrorCode::kUnauthenticated, ErrorCode::kConflict, ErrorCode::kTooLarge,
    ErrorCode::kNeverFits,       ErrorCode::kBusy,     ErrorCode::kStorageFull,
    ErrorCode::kUnavailable,     ErrorCode::kIo,       ErrorCode::kUnsupported,
    ErrorCode::kInternal,
};

TEST(ErrorCodes, NamesReadBack) {
  for (const ErrorCode code : kAllCodes) {
    EXPECT_EQ(error_code_named(error_code_name(code)), code) << error_code_name(code);
  }
}

TEST(ErrorCodes, AnUnknownWordIsABug) {
  EXPECT_EQ(error_code_named("something newer"), ErrorCode::kInternal);
}

TEST(ErrorCodes, ExitCodesAreThoseOfSysexits) {
  for (const ErrorCode code : kAllCodes) {
    EXPECT_GE(exit_code_of(code), 64) << error_code_name(code);
    EXPECT_LE(exit_code_of(code), 78) << error_code_name(code);
  }
}

TEST(ErrorCodes, AStatusAloneMeansTheMostGeneralCodeThatHasIt) {
  EXPECT_EQ(error_code_of_status(404), ErrorCode::kNotFound);
  EXPECT_EQ(error_code_of_status(500), ErrorCode::kInternal);
  EXPECT_EQ(error_code_of_status(503), ErrorCode::kUnavailable);
  EXPECT_EQ(error_code_of_status(418), ErrorCode::kInternal);
}

TEST(ErrorCodes, HttpStatusesAreErrors) {
  for (const ErrorCode code : kAllCodes) EXPECT_GE(http_status_of(code), 400);
}

}  // namespace
}  // namespace gpusched
