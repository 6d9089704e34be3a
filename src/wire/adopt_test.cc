#include "wire/adopt.h"

#include <gtest/gtest.h>

#include "wire/spec.h"

namespace gpusched {
namespace {

std::string refusal_of_adoption(const char* json) {
  const auto body = parse_adopt(json, Seconds{10});
  return body ? "accepted" : body.error().message;
}

TEST(AdoptJson, ReadsWhatIsGiven) {
  const auto body = parse_adopt(
      R"({"pid":77,"vram_bytes":1024,"priority":30,"time_limit_s":60,"name":"mine","only_cards":[1],
          "preempt":"never","share_percent":20})",
      Seconds{10});
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(body->pid, 77);
  EXPECT_EQ(body->priority, 30);
  EXPECT_EQ(body->spec.needs.vram_bytes, 1024u);
  EXPECT_EQ(body->spec.time.limit, Seconds{60});
  EXPECT_EQ(body->spec.time.grace, Seconds{10});
  EXPECT_EQ(body->spec.preempt, PreemptPolicy::kNever);
  EXPECT_EQ(body->spec.needs.cards->only.numbers.size(), 1u);
}

TEST(AdoptJson, SaysWhatIsWrong) {
  EXPECT_EQ(refusal_of_adoption("{}"), "pid is missing");
  EXPECT_NE(refusal_of_adoption(R"({"pid":1})"), "accepted");
  EXPECT_NE(refusal_of_adoption(R"({"pid":7,"restartable":true})").find("restartable"),
            std::string::npos);
  EXPECT_NE(refusal_of_adoption(R"({"pid":7,"preempt":"cooperative"})"), "accepted");
  EXPECT_NE(refusal_of_adoption(R"({"pid":7,"name":"a\nb"})"), "accepted");
}

TEST(AdoptJson, IsKeptWithTheSpec) {
  JobSpec spec;
  spec.argv = {"python"};
  spec.adopted = std::make_shared<AdoptedProcess>(AdoptedProcess{77, Boot{Seconds{5}}, true});
  const auto back = spec_from_json(spec_to_json(spec));
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_TRUE(back->adopted);
  EXPECT_EQ(*back->adopted, *spec.adopted);
}

}  // namespace
}  // namespace gpusched
