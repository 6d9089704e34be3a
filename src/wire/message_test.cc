// What a list of fields makes: JSON that comes back as it was, requests that are judged, a schema.
#include "wire/message.h"

#include <gtest/gtest.h>

#include "wire/message_json.h"
#include "wire/message_schema.h"
#include "wire/messages/machine.h"

namespace gpusched::wire {
namespace {

struct Inner {
  int number = 0;

  static constexpr std::string_view kName = "Inner";
  static constexpr auto fields() { return std::make_tuple(field("number", &Inner::number)); }
};

struct Sample {
  std::string text;
  std::string maybe_text;
  std::optional<int> nullable;
  std::optional<int> left_out;
  std::vector<Inner> list;
  std::vector<std::pair<std::string, std::string>> names;
  std::map<std::string, std::vector<std::optional<double>>, std::less<>> series;
  std::optional<Wall> at;
  Amount amount;
  bool flag = false;

  static constexpr std::string_view kName = "Sample";
  static constexpr auto fields() {
    return std::make_tuple(
        field("text", &Sample::text, kOrNull), field("maybe_text", &Sample::maybe_text, kMaybe),
        field("nullable", &Sample::nullable), field("left_out", &Sample::left_out, kMaybe),
        field("list", &Sample::list), field("names", &Sample::names),
        field("series", &Sample::series), field("at", &Sample::at, kAlways),
        field("amount", &Sample::amount), field("flag", &Sample::flag, kMaybe));
  }
};

TEST(Message, SaysNothingWithNullOrLeavesItOut) {
  EXPECT_EQ(
      to_json(Sample{}),
      R"({"text":null,"nullable":null,"list":[],"names":{},"series":{},"at":null,"amount":0})");
}

TEST(Message, ComesBackAsItWasWritten) {
  const Sample sample{.text = "a\"b",
                      .maybe_text = "c",
                      .nullable = 1,
                      .left_out = -2,
                      .list = {{3}, {4}},
                      .names = {{"z", "1"}, {"a", "2"}},
                      .series = {{"x", {1.5, std::nullopt}}},
                      .at = Wall{Seconds{5}},
                      .amount = {0.5},
                      .flag = true};
  const std::string text = to_json(sample);
  EXPECT_EQ(
      text,
      R"({"text":"a\"b","maybe_text":"c","nullable":1,"left_out":-2,)"
      R"("list":[{"number":3},{"number":4}],"names":{"z":"1","a":"2"},)"
      R"("series":{"x":[1.5,null]},"at":"1970-01-01T00:00:05.000Z","amount":0.5,"flag":true})");
  Sample read;
  read_message(*parse_json(text), read);
  EXPECT_EQ(to_json(read), text);
}

TEST(Message, IsReadAsFarAsItIsUnderstood) {
  Sample read{.nullable = 7};
  read_message(*parse_json(R"({"text":5,"nullable":"x","list":[{"number":1,"new":2},3],"new":1})"),
               read);
  EXPECT_EQ(read.text, "");
  EXPECT_EQ(read.nullable, 7);
  ASSERT_EQ(read.list.size(), 1U);
  EXPECT_EQ(read.list[0].number, 1);
}

TEST(Message, WritesOneFieldByOtherMeans) {
  std::string text;
  JsonWriter json(text);
  write_message(json, Inner{5}, [&](std::string_view name) {
    json.key(name).value("by hand");
    return true;
  });
  EXPECT_EQ(text, R"({"number":"by hand"})");
}

TEST(Request, IsJudgedByItsList) {
  const auto fault = [](std::string_view body) {
    const auto read = read_request<GroupRequest>(body);
    return read ? std::string("none") : read.error().message;
  };
  EXPECT_EQ(fault(R"({"limit":4,"paused":null})"), "none");
  EXPECT_EQ(fault(R"({"limit":1000001})"), "limit must be from 0 to 1000000");
  EXPECT_EQ(fault(R"({"paused":1})"), "paused must be true or false, not a number");
  EXPECT_NE(fault(R"({"limits":4})").find("limits"), std::string::npos);
  EXPECT_EQ(read_request<LogLevelRequest>("{}").error().message, "level is missing");
  EXPECT_FALSE(read_request<LogLevelRequest>(R"({"level":"loud"})"));
}

TEST(Schema, SaysWhatTheListSays) {
  SchemaTexts texts;
  const std::string answer = schema_text<Sample>(texts, Side::kAnswer);
  const auto value = parse_json(answer);
  ASSERT_TRUE(value) << answer;
  const JsonValue& properties = *value->find("properties");
  EXPECT_NE(properties.find("nullable")->find("type")->as<JsonArray>(), nullptr);
  EXPECT_NE(properties.find("left_out")->find("type")->as<std::string>(), nullptr);
  EXPECT_EQ(*properties.find("at")->find("format")->as<std::string>(), "date-time");
  EXPECT_EQ(value->find("additionalProperties"), nullptr);
  EXPECT_EQ(value->find("required")->as<JsonArray>()->size(), 7U);
  EXPECT_TRUE(texts.contains("Inner"));
}

TEST(Schema, OfARequestHasItsLimits) {
  SchemaTexts texts;
  const auto value = parse_json(schema_text<GroupRequest>(texts, Side::kRequest));
  ASSERT_TRUE(value);
  EXPECT_EQ(*value->find("additionalProperties")->as<bool>(), false);
  EXPECT_EQ(*value->find("properties")->find("limit")->find("maximum")->as<std::uint64_t>(),
            1'000'000U);
}

}  // namespace
}  // namespace gpusched::wire
