// Lists of leases, and the stream of what becomes of them.
#include <unistd.h>

#include "api/routes/test_routes.h"

namespace gpusched::testing {
namespace {

class LeaseRoutes : public Routes {
 protected:
  // The entries of "leases".
  static JsonArray leases(const TestResponse& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    const JsonValue value = response.json();
    const JsonValue* list = value.find("leases");
    return list == nullptr ? JsonArray{} : *list->as<JsonArray>();
  }
  void release(std::uint64_t id) {
    EXPECT_EQ(ask("DELETE", fmt::format("/v1/leases/{}", id)).status, 200);
  }
};

TEST_F(LeaseRoutes, AListIsServedByPriorityAndAnsweredInItsOrder) {
  const JsonArray list =
      leases(ask("POST", "/v1/leases",
                 R"({"leases":[{"name":"a"},{"name":"b"},{"name":"c","priority":84},
                    {"name":"d","priority":84}]})"));
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(text(list[0], "name"), "a");
  EXPECT_EQ(text(list[0], "state"), "queued");
  EXPECT_EQ(text(list[1], "state"), "queued");
  EXPECT_EQ(text(list[2], "state"), "running");
  EXPECT_EQ(text(list[3], "state"), "running");
}

TEST_F(LeaseRoutes, AListIsTakenAsAWholeOrNotAtAll) {
  const TestResponse never =
      ask("POST", "/v1/leases", R"({"leases":[{"name":"a"},{"name":"b","gpus":3}]})");
  EXPECT_EQ(never.code(), "never_fits");
  EXPECT_TRUE(never.message().starts_with("b: ")) << never.message();
  EXPECT_TRUE(leases(ask("GET", "/v1/leases")).empty());
  EXPECT_EQ(ask("POST", "/v1/leases?dry_run=1", R"({"leases":[{},{}]})").status, 200);
  EXPECT_TRUE(leases(ask("GET", "/v1/leases")).empty());
  EXPECT_EQ(ask("POST", "/v1/leases?wait_ms=5", R"({"leases":[{}]})").code(), "invalid");
}

TEST_F(LeaseRoutes, OneStreamTellsOfAllLeasesOfItsProcess) {
  TestClient stream(daemon.socket());
  stream.send("GET /v1/leases/changes HTTP/1.1\r\nHost: x\r\n\r\n");
  std::string said = stream.read_until(
      [](const std::string& text) { return text.find("\r\n\r\n") != std::string::npos; });
  ASSERT_NE(said.find("200 OK"), std::string::npos) << said;
  const JsonArray list =
      leases(ask("POST", "/v1/leases", R"({"leases":[{},{},{"name":"third"}]})"));
  ASSERT_EQ(list.size(), 3u);
  release(1);
  const auto holds = [](const std::string& what) {
    return [what](const std::string& text) { return text.find(what) != std::string::npos; };
  };
  said = stream.read_until(holds(R"("id":3,"state":"running")"));
  EXPECT_NE(said.find(R"("id":1,"state":"running")"), std::string::npos) << said;
  EXPECT_NE(said.find(R"("id":1,"state":"completed")"), std::string::npos) << said;
  EXPECT_EQ(said.find(R"("state":"queued")"), std::string::npos) << said;
}

TEST_F(LeaseRoutes, TheListCanBeOfTheAskingProcessAlone) {
  EXPECT_EQ(leases(ask("POST", "/v1/leases", R"({"leases":[{}]})")).size(), 1u);
  const std::string parent = fmt::format(R"({{"pid":{}}})", ::getppid());
  const TestResponse other = ask("POST", "/v1/leases", parent);
  if (other.status != 200) GTEST_SKIP() << "the parent belongs to somebody else";
  EXPECT_EQ(leases(ask("GET", "/v1/leases")).size(), 2u);
  EXPECT_EQ(leases(ask("GET", "/v1/leases?caller=1")).size(), 1u);
}

TEST_F(LeaseRoutes, AListSaysWhenWhatHasJustComeIsLikelyToStart) {
  EXPECT_EQ(leases(ask("POST", "/v1/leases", R"({"leases":[{"ttl_s":60},{"ttl_s":60}]})")).size(),
            2u);
  // The first look is of before it came.
  EXPECT_EQ(leases(ask("GET", "/v1/leases")).size(), 2u);
  EXPECT_EQ(leases(ask("POST", "/v1/leases", R"({"leases":[{"name":"waits"}]})")).size(), 1u);
  const JsonArray list = leases(ask("GET", "/v1/leases"));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_NE(text(list[2], "estimated_start"), "(none)");
  EXPECT_EQ(text(list[0], "estimated_start"), "(none)");
}

TEST_F(LeaseRoutes, AFlagThatIsNeitherOnNorOffIsRefused) {
  EXPECT_EQ(ask("GET", "/v1/leases?mine=V*W").code(), "invalid");
  EXPECT_EQ(ask("GET", "/v1/leases?caller=2").code(), "invalid");
  EXPECT_EQ(ask("GET", "/v1/leases?mine=0&caller=1").status, 200);
}

}  // namespace
}  // namespace gpusched::testing
