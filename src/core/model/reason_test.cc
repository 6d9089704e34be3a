#include "core/model/reason.h"

#include <gtest/gtest.h>

#include "tests/support/core_words.h"

namespace gpusched::testing {
namespace {

template <class Enum>
std::vector<Enum> all_up_to(Enum last) {
  std::vector<Enum> all;
  for (int i = 0; i <= static_cast<int>(last); ++i) all.push_back(static_cast<Enum>(i));
  return all;
}

Reason filled(ReasonCode code) {
  Reason reason{.code = code, .jobs = {JobId{1}, JobId{2}}, .until = {}};
  reason.wanted = 4;
  reason.available = 1;
  reason.name = "NAME";
  reason.quota = QuotaStop{QuotaKind::kCards, 2, 1, 4, {}};
  reason.starts_when_lifted = true;
  return reason;
}

TEST(Reason, EachHasItsSentence) {
  for (const ReasonCode code : all_up_to(ReasonCode::kNext)) {
    expect_words(std::string(reason_code_name(code)) + ": " + describe(filled(code)));
  }
}

TEST(Reason, WhatWouldHelpIsSaidWhereItIsSure) {
  for (const ReasonCode code : all_up_to(ReasonCode::kNext)) {
    const std::string help = what_would_help(filled(code));
    expect_words(std::string(reason_code_name(code)) + ": " + (help.empty() ? "-" : help));
  }
}

TEST(Reason, EachSmallerWishHasItsSentence) {
  for (const Help::Kind kind : all_up_to(Help::Kind::kLessRam)) {
    const bool bytes = kind == Help::Kind::kLessVram || kind == Help::Kind::kLessRam;
    const std::uint64_t one = bytes ? kGiB / 2 : 1;
    Reason reason;
    reason.helps = {{kind, 4 * one, 0}, {kind, one, 8 * one}};
    expect_words(what_would_help(reason));
  }
}

TEST(Reason, WhoStaysOnACardHasAReason) {
  for (const Stays why : all_up_to(Stays::kFailedLately)) {
    Reason reason;
    reason.staying = {{JobId{1}, why}};
    expect_words(why_no_room(reason));
    reason.staying.push_back({JobId{2}, why});
    expect_words(why_no_room(reason));
  }
}

TEST(Reason, EachLackOfACardIsNamed) {
  for (const Lack lack : all_up_to(Lack::kGrowth)) {
    Reason reason = filled(ReasonCode::kCards);
    reason.vram_bytes = 8 * kGiB;
    reason.share_percent = 30;
    reason.lacks = {{CardNumber{0}, lack, 1}};
    expect_words(describe(reason));
  }
}

TEST(Reason, EachQuotaSaysWhatItIsAndHowItIsRaised) {
  for (const QuotaKind kind : all_up_to(QuotaKind::kDisk)) {
    const QuotaStop stop{kind, 7200, 3600, 36'000, "week"};
    expect_words(describe(stop));
    expect_words(what_would_help(stop, "lab"));
  }
}

}  // namespace
}  // namespace gpusched::testing
