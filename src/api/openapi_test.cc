// The description of the API is the one in docs/, whole and true to the table of routes.
#include "api/openapi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "api/routes/routes.h"
#include "api/routes/test_routes.h"
#include "json/json_value.h"

namespace gpusched {
namespace {

const std::string kPlace = GPUSCHED_SOURCE_DIR "/docs/openapi.json";

std::string in_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every text under "$ref".
void references(const JsonValue& value, std::set<std::string>& found) {
  if (const auto* list = value.as<JsonArray>()) {
    for (const JsonValue& entry : *list) references(entry, found);
  }
  const auto* object = value.as<JsonObject>();
  for (const auto& [name, entry] : object != nullptr ? *object : JsonObject{}) {
    if (name == "$ref") found.insert(*entry.as<std::string>());
    references(entry, found);
  }
}

TEST(OpenApi, IsTheOneInTheDocuments) {
  if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) std::ofstream(kPlace) << openapi_text();
  EXPECT_EQ(openapi_text(), in_file(kPlace))
      << "docs/openapi.json is not what the daemon says; tools/golden.sh writes it anew";
}

TEST(OpenApi, HasEveryRoute) {
  const auto whole = parse_json(openapi_text());
  ASSERT_TRUE(whole) << whole.error().message;
  std::set<std::string> names;
  for (const Route& route : all_routes()) {
    const JsonValue* path = whole->find("paths")->find(route.pattern);
    ASSERT_NE(path, nullptr) << route.pattern;
    std::string method(route.method);
    std::ranges::transform(method, method.begin(), [](char c) { return std::tolower(c); });
    const JsonValue* operation = path->find(method);
    ASSERT_NE(operation, nullptr) << route.method << " " << route.pattern;
    EXPECT_TRUE(names.emplace(route.name).second) << route.name << " is there twice";
    EXPECT_EQ(operation->find("requestBody") != nullptr, !route.takes.type.empty()) << route.name;
  }
}

TEST(OpenApi, SaysWhatEveryReferenceMeans) {
  const auto whole = parse_json(openapi_text());
  ASSERT_TRUE(whole) << whole.error().message;
  std::set<std::string> found;
  references(*whole, found);
  EXPECT_GT(found.size(), 50U);
  for (const std::string& reference : found) {
    const JsonValue* at = &*whole;
    std::istringstream words(reference.substr(2));
    for (std::string word; std::getline(words, word, '/');) {
      at = at->find(word);
      ASSERT_NE(at, nullptr) << reference;
    }
  }
}

TEST(OpenApi, EveryParameterHasAMeaning) {
  const auto whole = parse_json(openapi_text());
  ASSERT_TRUE(whole) << whole.error().message;
  for (const auto& [path, methods] : *whole->find("paths")->as<JsonObject>()) {
    for (const auto& [method, operation] : *methods.as<JsonObject>()) {
      const JsonValue* list = operation.find("parameters");
      for (const JsonValue& one : list != nullptr ? *list->as<JsonArray>() : JsonArray{}) {
        const std::string& name = *one.find("name")->as<std::string>();
        EXPECT_TRUE(one.find("description") != nullptr) << name << " of " << method << " " << path;
      }
    }
  }
}

class OpenApiRoute : public testing::Routes {};

TEST_F(OpenApiRoute, IsServed) {
  const testing::TestResponse response = ask("GET", "/v1/openapi.json");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, openapi_text());
}

}  // namespace
}  // namespace gpusched
