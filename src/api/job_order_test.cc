// Orders of jobs and the places in them, without a daemon.
#include "api/job_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/cursor.h"
#include "api/field_choice.h"
#include "http/target.h"

namespace gpusched {
namespace {

JobPlace place(std::int64_t number, std::uint64_t id) {
  return {.number = number, .id = JobId{id}};
}

std::vector<std::uint64_t> sorted(const char* order, std::vector<JobPlace> places) {
  const JobOrder by = *parse_order(order);
  std::ranges::sort(places, [&](const JobPlace& one, const JobPlace& other) {
    return comes_before(by, one, other);
  });
  std::vector<std::uint64_t> ids;
  for (const JobPlace& one : places) ids.push_back(number_of(one.id));
  return ids;
}

TEST(JobOrder, EqualsAreInTheOrderOfTheirIdsAndTheAbsentComeLast) {
  const std::vector<JobPlace> places = {
      place(5, 3), {.absent = true, .id = JobId{1}}, place(5, 2), place(9, 4)};
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(sorted("started_at", places), (Ids{2, 3, 4, 1}));
  EXPECT_EQ(sorted("-started_at", places), (Ids{4, 3, 2, 1}));
}

TEST(JobOrder, ACursorComesBackAsThePlaceThatItWasMadeOf) {
  const JobOrder order = *parse_order("-name");
  const JobPlace places[] = {{.text = std::string("a b\n\0\xff", 6), .id = JobId{7}},
                             {.absent = true, .number = -3, .id = JobId{UINT64_MAX}}};
  for (const JobPlace& one : places) {
    const Result<JobPlace> read = parse_cursor(order, cursor_of(order, one));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, one);
  }
}

TEST(JobOrder, ACursorOfAnotherOrderOrOfNobodyIsRefused) {
  const JobOrder order = *parse_order("priority");
  const std::string other = cursor_of(*parse_order("-priority"), place(5, 3));
  const std::string far = sealed_cursor("priority 0 1 2 " + std::string(65, 'x'));
  for (const std::string& bad : {other, far, std::string("zz"), std::string("abc"), std::string(),
                                 sealed_cursor("priority 2 1 1 "), sealed_cursor("priority 0 x 1 "),
                                 sealed_cursor("priority"), sealed_cursor("priority 0 1")}) {
    const Result<JobPlace> read = parse_cursor(order, bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
  }
}

TEST(FieldChoice, KeepsWhatWasChosenWhateverIsInIt) {
  const FieldChoice choice({"id", "values", "name"});
  std::string out;
  choice.append(
      out,
      R"({"id":7,"state":"a,}\"{","values":{"id":"x]}","b":[1,{"c":2}]},"tags":[],"name":null})");
  EXPECT_EQ(out, R"({"id":7,"values":{"id":"x]}","b":[1,{"c":2}]},"name":null})");
  out.clear();
  choice.append(out, "{}");
  EXPECT_EQ(out, "{}");
}

TEST(Target, IsWrittenAsItIsRead) {
  const HttpTarget target{{"v1", "a/b", "7-9,@~2"}, {{"name", "x&y=\r\nä +"}, {"sort", "-id"}}};
  const Result<HttpTarget> read = parse_target(target_text(target));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->segments, target.segments);
  EXPECT_EQ(read->query, target.query);
  EXPECT_EQ(target_text(target).find_first_of("\r\n <>\""), std::string::npos);
}

}  // namespace
}  // namespace gpusched
