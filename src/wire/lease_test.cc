#include "wire/lease.h"

#include <gtest/gtest.h>

#include "wire/spec.h"

namespace gpusched {
namespace {

Result<LeaseBody> parse_lease(std::string_view json) {
  auto bodies = parse_leases(json);
  if (!bodies) return failure(bodies.error());
  return std::move(bodies->leases.front());
}

std::string refusal_of_lease(const char* json) {
  const auto body = parse_lease(json);
  return body ? "accepted" : body.error().message;
}

TEST(LeaseJson, EverythingHasADefault) {
  const auto body = parse_lease("");
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(body->spec.needs.gpus.least, 1);
  EXPECT_EQ(body->priority, 50);
  EXPECT_EQ(body->spec.time.limit, Seconds{0});
  EXPECT_FALSE(body->spec.lease->by_connection);
  EXPECT_FALSE(body->spec.lease->by_turns);
  EXPECT_EQ(body->spec.lease->pid, 0);
}

TEST(LeaseJson, ReadsWhatIsGiven) {
  const auto body = parse_lease(
      R"({"gpus":2,"vram_bytes":1024,"ttl_s":60,"priority":90,"pid":7,"application":"trainer",
          "placement":"round-robin","wait_at_most_ms":1500,"name":"one","cpu_use":"prefer"})");
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(body->spec.needs.gpus.most, 2);
  EXPECT_EQ(body->spec.needs.cpu_use, CpuUse::kPrefer);
  EXPECT_EQ(body->spec.time.limit, Seconds{60});
  EXPECT_EQ(body->spec.lease->pid, 7);
  EXPECT_EQ(body->spec.lease->application, "trainer");
  EXPECT_TRUE(body->spec.lease->by_turns);
  EXPECT_EQ(body->wait_at_most.count(), 1500);
}

TEST(LeaseJson, SaysWhatIsWrong) {
  EXPECT_EQ(refusal_of_lease(R"({"gpus":0})"), "gpus must be at least 1: a lease is of cards");
  EXPECT_EQ(refusal_of_lease(R"({"holder":"connection","pid":3})"),
            "pid has no place with holder \"connection\"");
  EXPECT_NE(refusal_of_lease(R"({"command":["true"]})").find("command"), std::string::npos);
  EXPECT_NE(refusal_of_lease(R"({"application":"a\nb"})").find("application"), std::string::npos);
  EXPECT_FALSE(parse_renewal("{}"));
  EXPECT_EQ(*parse_renewal(R"({"ttl_s":5})"), Seconds{5});
}

TEST(LeaseJson, TermsSurviveTheStore) {
  JobSpec spec;
  spec.lease = std::make_shared<LeaseTerms>(LeaseTerms{.by_connection = true,
                                                       .pid = 12,
                                                       .pid_started = 1ULL << 40,
                                                       .application = "a \"b\"",
                                                       .program = "python /x/serve.py",
                                                       .by_turns = true});
  const auto read = spec_from_json(spec_to_json(spec));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->lease);
  EXPECT_EQ(*read->lease, *spec.lease);
  EXPECT_FALSE(spec_from_json(spec_to_json(JobSpec{}))->lease);
}

TEST(LeaseJson, AListIsReadInItsOrder) {
  const auto bodies = parse_leases(R"({"leases":[{"name":"a"},{"name":"b","priority":84}]})");
  ASSERT_TRUE(bodies) << bodies.error().message;
  EXPECT_TRUE(bodies->list);
  ASSERT_EQ(bodies->leases.size(), 2u);
  EXPECT_EQ(bodies->leases[1].spec.name, "b");
  EXPECT_EQ(bodies->leases[1].priority, 84);
  EXPECT_FALSE(parse_leases(R"({"name":"a"})")->list);
}

TEST(LeaseJson, AWrongListSaysWhichEntryIsWrong) {
  const auto refusal = [](const std::string& json) {
    const auto bodies = parse_leases(json);
    return bodies ? std::string() : bodies.error().message;
  };
  EXPECT_EQ(refusal(R"({"leases":[]})"), "leases must have 1 to 500 entries");
  EXPECT_NE(refusal(R"({"leases":7})").find("leases"), std::string::npos);
  EXPECT_NE(refusal(R"({"leases":[{}],"gpus":1})").find("gpus"), std::string::npos);
  EXPECT_EQ(refusal(R"({"leases":[{},{"gpus":0}]})"),
            "leases[1].gpus must be at least 1: a lease is of cards");
  EXPECT_NE(refusal(R"({"leases":[{},{"priority":101}]})").find("leases[1].priority"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"leases":[{"holder":"connection"}]})").find("held by a process"),
            std::string::npos);
  std::string many = "{}";
  for (std::size_t i = 0; i < kLeasesMost; ++i) many += ",{}";
  EXPECT_EQ(refusal(R"({"leases":[)" + many + "]}"), "leases must have 1 to 500 entries");
}

}  // namespace
}  // namespace gpusched
