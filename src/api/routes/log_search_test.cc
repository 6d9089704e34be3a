// GET /v1/jobs/{id}/log/search, and parts of a log.
#include <filesystem>
#include <fstream>

#include "api/routes/test_routes.h"
#include "jobdir/job_directory.h"

namespace gpusched::testing {
namespace {

class LogSearchRoute : public Routes {
 protected:
  // Job 1 runs and has written this.
  void write(const std::string& text) {
    submit();
    daemon.start_job(1);
    const std::string directory = attempt_directory(daemon.state_directory(), {JobId{1}, 1});
    std::filesystem::create_directories(directory);
    std::ofstream(directory + "/log", std::ios::binary) << text;
  }
  TestResponse search(const std::string& query) {
    return ask("GET", "/v1/jobs/1/log/search?" + query);
  }
};

TEST_F(LogSearchRoute, SaysWhereATextStands) {
  write("one\ntwo loss=1\nbad \xff loss=2\n");
  const TestResponse response = search("text=loss%3D&limit=2");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.body,
            R"({"schema":1,"job":1,"attempt":1,"size":28,"matches":[)"
            R"({"offset":4,"line":"two loss=1","line_offset":4,"at":8},)"
            R"({"offset":15,"line":"bad \udcff loss=2","line_offset":15,"at":21}],"next":null})");
  const TestResponse one = search("text=LOSS&ignore_case=1&limit=1");
  EXPECT_EQ(count(one.json(), "matches"), 1U);
  EXPECT_EQ(number(one.json(), "next"), 15U);
  EXPECT_EQ(count(search("text=loss&from=15").json(), "matches"), 1U);
  EXPECT_EQ(count(search("text=LOSS").json(), "matches"), 0U);
}

TEST_F(LogSearchRoute, MistakesAreOneSentence) {
  write("one\n");
  EXPECT_EQ(search("").message(), "text says what to look for; it is missing or empty");
  EXPECT_EQ(search("text=").message(), "text says what to look for; it is missing or empty");
  EXPECT_EQ(search("text=a%0ab").message(), "text has a line break; lines are searched one by one");
  EXPECT_EQ(search("text=" + std::string(257, 'a')).message(),
            "text has 257 bytes; at most 256 are looked for");
  for (const char* query :
       {"text=a&limit=0", "text=a&limit=1001", "text=a&from=-1", "text=a&ignore_case=2",
        "text=a&stream=both", "text=a&attempt=0", "text=a&follow=1"}) {
    EXPECT_EQ(search(query).status, 400) << query;
  }
  EXPECT_EQ(search("text=a&attempt=2").message(), "job 1 has no attempt 2");
  EXPECT_EQ(search("text=a&stream=error").message(),
            "job 1 writes its errors to its output; it has no log of them");
  EXPECT_EQ(ask("GET", "/v1/jobs/7/log/search?text=a").status, 404);
}

TEST_F(LogSearchRoute, WhoMayNotReadTheLogIsRefusedLikeThere) {
  daemon.add_jobs(1);  // Of somebody else.
  const TestResponse token = ask("POST", "/v1/tokens", R"({"role":"viewer"})");
  ASSERT_EQ(token.status, 200) << token.body;
  const std::string viewer = "Authorization: Bearer " + text(token.json(), "secret") + "\r\n";
  const TestResponse log = ask("GET", "/v1/jobs/1/log", {}, viewer);
  const TestResponse found = ask("GET", "/v1/jobs/1/log/search?text=a", {}, viewer);
  EXPECT_EQ(found.status, 403);
  EXPECT_EQ(found.body, log.body);
}

TEST_F(LogSearchRoute, BeforeItHasStartedThereIsNone) {
  submit(R"("hold":true)");
  EXPECT_EQ(search("text=a").message(), "job 1 has not started yet, so it has no log");
}

TEST_F(LogSearchRoute, ALogCanBeReadInParts) {
  write("0123456789");
  const TestResponse part = ask("GET", "/v1/jobs/1/log?offset=2&most=3");
  EXPECT_EQ(part.body, "234");
  EXPECT_EQ(part.headers.at("gpusched-log-size"), "10");
  EXPECT_EQ(part.headers.at("gpusched-log-offset"), "2");
  EXPECT_EQ(part.headers.at("gpusched-log-next"), "5");
  const TestResponse last = ask("GET", "/v1/jobs/1/log?offset=8&most=300");
  EXPECT_EQ(last.body, "89");
  EXPECT_EQ(last.headers.at("gpusched-log-next"), "10");
  EXPECT_EQ(ask("GET", "/v1/jobs/1/log?tail=4&most=2").body, "67");
  const TestResponse none = ask("GET", "/v1/jobs/1/log?offset=99&most=2");
  EXPECT_EQ(none.body, "");
  EXPECT_EQ(none.headers.at("gpusched-log-offset"), "10");
  EXPECT_EQ(ask("GET", "/v1/jobs/1/log?most=2&follow=1").message(),
            "follow goes on until the attempt has ended; most ends it");
}

// Two stretches are never taken for one.
TEST_F(LogSearchRoute, APartEndsWhereAHoleBegins) {
  write("begin\n");
  const std::string path = attempt_directory(daemon.state_directory(), {JobId{1}, 1}) + "/log";
  std::filesystem::resize_file(path, 1U << 20);
  std::ofstream(path, std::ios::binary | std::ios::app) << "end\n";
  const TestResponse first = ask("GET", "/v1/jobs/1/log?most=2000000");
  const std::string next = first.headers.at("gpusched-log-next");
  if (next == "1048580") GTEST_SKIP() << "this file system has no holes";
  EXPECT_TRUE(first.body.starts_with("begin\n"));
  EXPECT_EQ(std::to_string(first.body.size()), next);
  const TestResponse second = ask("GET", "/v1/jobs/1/log?most=2000000&offset=" + next);
  EXPECT_TRUE(second.body.ends_with("end\n"));
  EXPECT_EQ(second.headers.at("gpusched-log-next"), "1048580");
  EXPECT_GT(std::stoul(second.headers.at("gpusched-log-offset")), std::stoul(next));
}

}  // namespace
}  // namespace gpusched::testing
