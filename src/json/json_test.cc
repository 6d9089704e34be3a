#include <gtest/gtest.h>

#include <string>

#include "json/json_value.h"
#include "json/json_writer.h"

namespace gpusched {
namespace {

std::string written(std::string_view bytes) {
  std::string out;
  append_json_string(out, bytes);
  return out;
}

std::string read(std::string_view json) {
  const Result<JsonValue> value = parse_json(json);
  if (!value) return "error: " + value.error().message;
  const auto* text = value->as<std::string>();
  return text == nullptr ? "not a string" : *text;
}

TEST(JsonWriter, EscapesWhatJsonDemands) {
  EXPECT_EQ(written("a\"b\\c\nd\te\rf"), R"("a\"b\\c\nd\te\rf")");
  EXPECT_EQ(written(std::string_view("\0\x1f\x7f", 3)), R"("\u0000\u001f\u007f")");
  EXPECT_EQ(written("größe ✓ 💀"), "\"größe ✓ 💀\"");
}

TEST(JsonWriter, WritesBadBytesAsLoneSurrogates) {
  EXPECT_EQ(written("\xff"), R"("\udcff")");
  EXPECT_EQ(written("a\x80z"), R"("a\udc80z")");
  EXPECT_EQ(written("\xed\xb2\x80"), R"("\udced\udcb2\udc80")") << "an encoded surrogate";
  EXPECT_EQ(written("\xc0\xaf"), R"("\udcc0\udcaf")") << "an overlong form";
  EXPECT_EQ(written("\xf4\x90\x80\x80"), R"("\udcf4\udc90\udc80\udc80")") << "past U+10FFFF";
  EXPECT_EQ(written("\xe2\x9c"), R"("\udce2\udc9c")") << "cut short";
}

TEST(JsonWriter, WritesTimesWithMilliseconds) {
  std::string out;
  JsonWriter(out).value(Wall{Microseconds{1'767'254'400'123'999}});
  EXPECT_EQ(out, "\"2026-01-01T08:00:00.123Z\"");
  out.clear();
  JsonWriter(out).value(Wall{Microseconds{951'782'400'000'000}});
  EXPECT_EQ(out, "\"2000-02-29T00:00:00.000Z\"");
}

TEST(JsonWriter, PlacesCommas) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("a", 1).key("b").begin_array().value(-2).null().value(true).end_array();
  json.key("c").begin_object().end_object().field("d", 1.5).field("e", 18446744073709551615ULL);
  json.field("f", std::optional<int>{}).end_object();
  EXPECT_EQ(out, R"({"a":1,"b":[-2,null,true],"c":{},"d":1.5,"e":18446744073709551615,"f":null})");
}

TEST(JsonRoundTrip, KeepsEveryByte) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(read(written(all)), all);
  std::string reversed(all.rbegin(), all.rend());
  EXPECT_EQ(read(written(reversed)), reversed);
}

TEST(JsonRoundTrip, KeepsEveryPairOfBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string pair = {static_cast<char>(a), static_cast<char>(b)};
      ASSERT_EQ(read(written(pair)), pair) << a << " " << b;
    }
  }
}

TEST(JsonRead, TellsPairsFromLoneSurrogates) {
  EXPECT_EQ(read(R"("\ud83d\udc80")"), "💀") << "a pair is one character";
  EXPECT_EQ(read(R"("\ud83d\udc80\udc80")"), "💀\x80");
  EXPECT_EQ(read(R"("\\udc80")"), "\\udc80") << "an escaped backslash begins no escape";
  EXPECT_EQ(read(R"("\\\udc80")"), "\\\x80");
  EXPECT_EQ(read(R"("\uDCFF\uDcAb")"), "\xff\xab");
  EXPECT_EQ(read(R"("\u0000\u0080")"), std::string("\0\xc2\x80", 3));
}

TEST(JsonRead, RefusesWhatIsNotJson) {
  for (const char* text :
       {"", "{", "[1,]", "\"\\ud800\"", "\"\\udc00\"", "\"\xff\"", "nul", "{} {}", "\"\\u12\"",
        "\"\\", "\"a", "{\"a\":1,}", "1e999", "\"\\ud800\\u0041\"", "\"\\ud83d\\"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(JsonRead, RefusesAFieldGivenTwice) {
  const auto value = parse_json(R"({"a":1,"b":2,"a":3})");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message, "the field \"a\" is given twice");
}

TEST(JsonRead, BoundsTheNesting) {
  EXPECT_TRUE(parse_json(std::string(32, '[') + std::string(32, ']')));
  EXPECT_FALSE(parse_json(std::string(33, '[') + std::string(33, ']')));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(JsonRead, SaysWhereItFailed) {
  const auto value = parse_json("{\"a\":x}");
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message.find("byte 6"), std::string::npos) << value.error().message;
}

}  // namespace
}  // namespace gpusched
