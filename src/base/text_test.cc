#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace gpusched {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;

using Pieces = std::vector<std::string_view>;

TEST(Split, KeepsEmptyPiecesUnlessTheyAreNotWanted) {
  EXPECT_EQ(split("", ','), Pieces{""});
  EXPECT_EQ(split("a", ','), Pieces{"a"});
  EXPECT_EQ(split(",a,,b,", ','), (Pieces{"", "a", "", "b", ""}));
  EXPECT_EQ(split_nonempty(",a,,b,", ','), (Pieces{"a", "b"}));
  EXPECT_EQ(split_nonempty("", ','), Pieces{});
}

TEST(Split, TakesOnePieceAfterTheOther) {
  std::string_view rest = "one two";
  EXPECT_EQ(take_until(rest, ' '), "one");
  EXPECT_EQ(take_until(rest, ' '), "two");
  EXPECT_EQ(take_until(rest, ' '), "");
  EXPECT_EQ(rest, "");
}

TEST(Split, TakesWholeLinesAndLeavesTheBeginningOfTheNext) {
  std::string text = "one\n\nthr";
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  take_lines(text, take);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", ""}));
  EXPECT_EQ(text, "thr");
  text += "ee\n";
  take_lines(text, take);
  EXPECT_EQ(lines.back(), "three");
  EXPECT_EQ(text, "");
}

TEST(Trimmed, LosesWhiteSpaceOnBothSides) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n "), "");
}

TEST(Size, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_size("24G").value(), 24 * kGiB);
  EXPECT_EQ(parse_size("24GiB").value(), 24 * kGiB);
  EXPECT_EQ(parse_size("24 gib").value(), 24 * kGiB);
  EXPECT_EQ(parse_size("1.5G").value(), kGiB + kGiB / 2);
  EXPECT_EQ(parse_size("512M").value(), 512ULL << 20);
  EXPECT_EQ(parse_size("4k").value(), 4096u);
  EXPECT_EQ(parse_size("2T").value(), 2048 * kGiB);
  EXPECT_EQ(parse_size("800").value(), 800u);
  EXPECT_EQ(parse_size("800B").value(), 800u);
  EXPECT_EQ(parse_size("0").value(), 0u);
}

TEST(Size, RefusesTheRestAndNamesIt) {
  for (const char* text : {"", " ", "G", "-1G", "1.G", ".5G", "1.5", "24Q", "24GG", "24Gi b",
                           "0x10", "1e9", "9999999999G", "99999999999999999999", "24 G x"}) {
    const auto size = parse_size(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().code, ErrorCode::kInvalid);
    EXPECT_NE(size.error().message.find(text), std::string::npos);
  }
}

TEST(Size, WritesOneDecimalFromGibibytesOn) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(512ULL << 20), "512 MiB");
  EXPECT_EQ(format_size(24 * kGiB), "24.0 GiB");
  EXPECT_EQ(format_size(kGiB + kGiB / 2), "1.5 GiB");
  EXPECT_EQ(format_size(2048 * kGiB), "2.0 TiB");
}

TEST(Duration, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_duration("90").value(), Seconds{90});
  EXPECT_EQ(parse_duration("90s").value(), Seconds{90});
  EXPECT_EQ(parse_duration("15m").value(), Seconds{900});
  EXPECT_EQ(parse_duration("1h30m").value(), Seconds{5400});
  EXPECT_EQ(parse_duration("1h 30m").value(), Seconds{5400});
  EXPECT_EQ(parse_duration("2d").value(), Seconds{172800});
  EXPECT_EQ(parse_duration("1w").value(), Seconds{604800});
  EXPECT_EQ(parse_duration("01:30:00").value(), Seconds{5400});
  EXPECT_EQ(parse_duration("100:00:00").value(), Seconds{360000});
  EXPECT_EQ(parse_duration("02:30").value(), Seconds{150});
  EXPECT_EQ(parse_duration("0").value(), Seconds{0});
  EXPECT_EQ(parse_duration("1-00:00:00").value(), Seconds{86400});
  EXPECT_EQ(parse_duration("2-03:04:05").value(), Seconds{2 * 86400 + 3 * 3600 + 4 * 60 + 5});
  EXPECT_EQ(parse_duration("1-12").value(), Seconds{86400 + 12 * 3600});
}

TEST(Duration, RefusesTheRestAndNamesIt) {
  for (const char* text :
       {"",        "h",    "-5",     "1h30",      "30m1h",        "5m5m",       "1.5h",
        "1:2:3:4", "1:60", ":30",    "10x",       "99999999999d", "1h30m junk", "5 m s",
        "1-",      "1-24", "1-2:60", "1-2:3:4:5", "-1-2",         "1-2x"}) {
    const auto duration = parse_duration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_NE(duration.error().message.find(text), std::string::npos);
  }
}

TEST(Duration, WritesItsTwoLargestUnits) {
  EXPECT_EQ(format_duration(Microseconds{0}), "0s");
  EXPECT_EQ(format_duration(Microseconds{999'999}), "0s");
  EXPECT_EQ(format_duration(Seconds{45}), "45s");
  EXPECT_EQ(format_duration(Seconds{5400}), "1h 30m");
  EXPECT_EQ(format_duration(Seconds{3600}), "1h");
  EXPECT_EQ(format_duration(Seconds{2 * 86400 + 3 * 3600 + 59}), "2d 3h");
  EXPECT_EQ(format_duration(-Seconds{61}), "-1m 1s");
}

// 2026-01-01 is a Thursday; 12:30:15.25 in UTC+1.
constexpr Wall kNow{Seconds{1'767'267'015} + std::chrono::milliseconds{250}};
constexpr Seconds kOffset{3600};

std::string at(const char* text) {
  const auto time = parse_time(text, kNow, kOffset);
  return time ? format_time(*time) : "error: " + time.error().message;
}

TEST(Time, ReadsExactTimes) {
  EXPECT_EQ(at("now"), "2026-01-01T11:30:15.250Z");
  EXPECT_EQ(at("2026-01-31T08:00:00Z"), "2026-01-31T08:00:00.000Z");
  EXPECT_EQ(at("2026-01-31T08:00:00.125+02:00"), "2026-01-31T06:00:00.125Z");
  EXPECT_EQ(at("2026-01-31 08:00"), "2026-01-31T07:00:00.000Z");
  EXPECT_EQ(at("2026-01-31T08:00"), "2026-01-31T07:00:00.000Z");
  EXPECT_EQ(at("2026-01-31"), "2026-01-30T23:00:00.000Z");
}

TEST(Time, ReadsTimesRelativeToNow) {
  EXPECT_EQ(at("+2h"), "2026-01-01T13:30:15.250Z");
  EXPECT_EQ(at("12:31"), "2026-01-01T11:31:00.000Z");
  EXPECT_EQ(at("12:30"), "2026-01-02T11:30:00.000Z");
  EXPECT_EQ(at("8:00"), "2026-01-02T07:00:00.000Z");
  EXPECT_EQ(at("tomorrow 8:00"), "2026-01-02T07:00:00.000Z");
  EXPECT_EQ(at("tomorrow"), "2026-01-01T23:00:00.000Z");
  EXPECT_EQ(at("today 20:00"), "2026-01-01T19:00:00.000Z");
  EXPECT_EQ(at("mon 9:00"), "2026-01-05T08:00:00.000Z");
  EXPECT_EQ(at("Monday 9:00"), "2026-01-05T08:00:00.000Z");
  EXPECT_EQ(at("thu 9:00"), "2026-01-08T08:00:00.000Z");
  EXPECT_EQ(at("thu 13:00"), "2026-01-01T12:00:00.000Z");
}

TEST(Time, RefusesTheRestAndNamesIt) {
  for (const char* text :
       {"", "soon", "25:00", "8:60", "2026-02-30", "2026-13-01", "+", "+x", "today", "mo 9:00",
        "tomorrow 8", "2026-01-31 08:00 x", "2026-1-3", "8"}) {
    EXPECT_EQ(at(text).rfind("error: \"" + std::string(text) + "\"", 0), 0u) << at(text);
  }
}

TEST(Time, Rfc3339ReadsBackWhatIsWritten) {
  for (const std::int64_t seconds : {0LL, 951'782'400LL, 1'767'267'015LL, 4'102'444'800LL, -1LL}) {
    const Wall time{Seconds{seconds} + std::chrono::milliseconds{7}};
    EXPECT_EQ(parse_rfc3339(format_time(time)).value(), time);
  }
}

TEST(Time, Rfc3339RefusesWhatIsNot) {
  for (const char* text : {"", "2026-01-01", "2026-01-01T08:00:00", "2026-01-01T24:00:00Z",
                           "2026-01-01T08:00:60Z", "2026-01-01T08:00:00.Z", "2026-01-01T08:00:00Zx",
                           "2026-01-01T08:00:00+1:00", "2026-00-01T08:00:00Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Utf8, KnowsWellFormedFromNot) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("Gr\xc3\xbc\xc3\x9f Gott \xe2\x82\xac \xf0\x9f\x98\x80"));
  for (const char* bytes :
       {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
        "\xf8\x88\x80\x80\x80", "\xe0\x80\xaf", "ok\xc3("}) {
    EXPECT_FALSE(is_utf8(bytes));
  }
}

TEST(NearestWord, FindsASlipOfTheFinger) {
  constexpr std::array<std::string_view, 4> kWords = {"socket", "state_directory", "log", "limits"};
  const auto nearest = [&](std::string_view word) {
    return nearest_word(word, kWords.data(), kWords.size());
  };
  EXPECT_EQ(nearest("sokcet"), "socket");
  EXPECT_EQ(nearest("state_dir"), "");
  EXPECT_EQ(nearest("statedirectory"), "state_directory");
  EXPECT_EQ(nearest("limit"), "limits");
  EXPECT_EQ(nearest("lgo"), "log");
  EXPECT_EQ(nearest("xyz"), "");
  EXPECT_EQ(nearest(""), "");
}

}  // namespace
}  // namespace gpusched
