// For tests of routes: a daemon, what is asked of it over its socket, and what answers say.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/test_daemon.h"
#include "http/test_client.h"

namespace gpusched::testing {

inline std::string a_job(const std::string& more = {}) {
  return R"({"command":["true"],"working_directory":"/tmp")" +
         std::string(more.empty() ? "" : ",") + more + "}";
}

inline std::uint64_t number(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* found = field == nullptr ? nullptr : field->as<std::uint64_t>();
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? 0 : *found;
}
inline std::string text(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* found = field == nullptr ? nullptr : field->as<std::string>();
  return found == nullptr ? "(none)" : *found;
}
inline std::size_t count(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* found = field == nullptr ? nullptr : field->as<JsonArray>();
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? 0 : found->size();
}

class Routes : public ::testing::Test {
 protected:
  TestResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = {}, const std::string& headers = {}) {
    return testing::ask(daemon.socket(), method, target, body, headers);
  }
  std::uint64_t submit(const std::string& more = {}) {
    const TestResponse response = ask("POST", "/v1/jobs", a_job(more));
    EXPECT_EQ(response.status, 200) << response.body;
    return number(response.json(), "first");
  }
  std::string state_of(std::uint64_t id) {
    const TestResponse response = ask("GET", fmt::format("/v1/jobs/{}", id));
    const JsonValue value = response.json();
    const auto* jobs = value.find("jobs")->as<JsonArray>();
    return text(jobs->at(0), "state");
  }

  TestDaemon daemon;
};

}  // namespace gpusched::testing
