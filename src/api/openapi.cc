#include "api/openapi.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/cookie.h"
#include "api/routes/routes.h"
#include "base/text.h"
#include "json/json_writer.h"
#include "wire/messages/report.h"
#include "wire/schema.h"

namespace gpusched {
namespace {

using wire::ValueSchema;

// A parameter has one meaning wherever it occurs.
struct Parameter {
  std::string_view name;
  ValueSchema schema;
  bool must = false;  // It may not be left out.
};
constexpr std::string_view kFlag = "0|1";
constexpr std::string_view kSorts =
    "id|-id|priority|-priority|submitted_at|-submitted_at|started_at|-started_at|"
    "ended_at|-ended_at|state|-state|user|-user|name|-name";
constexpr std::uint64_t kSequenceMost = INT64_MAX;
constexpr ValueSchema number(std::uint64_t most, std::string_view what, std::uint64_t least = 0) {
  return {.type = "integer", .what = what, .least = least, .has_least = true, .most = most};
}
constexpr ValueSchema text(std::string_view what) { return {.type = "string", .what = what}; }
constexpr ValueSchema word(std::string_view words, std::string_view what) {
  return {.type = "string", .words = words, .what = what};
}
constexpr std::array kParameters = {
    Parameter{"after", number(kSequenceMost, "only what came after this sequence")},
    Parameter{"application", text("leases of this application")},
    Parameter{"array", number(kSequenceMost, "only the array or sweep with this first job")},
    Parameter{"attempt", number(1'000'000'000, "the newest unless given", 1)},
    Parameter{"by", word(wire::kReportBy, "what rows are about")},
    Parameter{"caller", word(kFlag, "only what the asking process holds")},
    Parameter{"card", number(UINT16_MAX, "only this card")},
    Parameter{"cursor", text("where the page begins: next of the page before")},
    Parameter{"dry_run", text("1: answer what would be done, and do nothing")},
    Parameter{"fields", text("only these of each job: id,state,name")},
    Parameter{"follow", word(kFlag, "go on until the attempt has ended")},
    Parameter{"format", word("json|text|csv", "how the answer is written")},
    Parameter{"from", number(kSequenceMost, "what begins at this byte or later")},
    Parameter{"group", text("only jobs of this group")},
    Parameter{"ids", text("a selector: 7, 7-12, 7,9,20-22, last, @~2 or all")},
    Parameter{"ignore_case", word(kFlag, "A is a, of the letters of ASCII")},
    Parameter{"jobs", text("a selector: 7, 7-12, 7,9,20-22, last, @~2 or all")},
    Parameter{"leases", word(kFlag, "also leases, of which there may be very many")},
    Parameter{"limit", number(UINT32_MAX, "only the first so many")},
    Parameter{"mine", word(kFlag, "only the caller's own")},
    Parameter{"most", number(kSequenceMost, "only the first so many bytes, up to a hole")},
    Parameter{"name", text("only jobs of this name")},
    Parameter{"newest", number(UINT32_MAX, "only the last so many")},
    Parameter{"offset", number(kSequenceMost, "from this byte on")},
    Parameter{"points", number(4000, "about so many values", 1)},
    Parameter{"range", text("how far back: 1h")},
    Parameter{"resume", word(kFlag, "also a paused group: its waiting jobs may start then")},
    Parameter{"operation", text("only this one: the name of a route, or a word of it")},
    Parameter{"result", word("done|begun|interrupted|refused|failed", "only what ended so")},
    Parameter{"at", text("2h, so long ago, or RFC 3339")},
    Parameter{"from", text("2h, +2h for the time ahead, or RFC 3339")},
    Parameter{"job", number(kSequenceMost, "why this one had not started")},
    Parameter{"since", text("2h, or RFC 3339")},
    Parameter{"sort", word(kSorts, "the order; - turns it round")},
    Parameter{"state", text("states, separated by commas; also active, waiting, ended")},
    Parameter{"step", text("between two values: 30s")},
    Parameter{"stream", word("output|error", "which of the two")},
    Parameter{"sweeps", word("0|1|whole", "jobs of one sweep are one line")},
    Parameter{"tag", text("only jobs with this tag")},
    Parameter{"tail", number(kSequenceMost, "only the last so many bytes")},
    Parameter{"text", text("what is looked for, as it is: 1 to 256 bytes of one line"), true},
    Parameter{"timeout_ms", number(604'800'000, "answer after this time in any case")},
    Parameter{"topics", text("jobs, cards, alarms, logs:7, separated by commas")},
    Parameter{"until", text("2h, or RFC 3339; where time ahead is shown also +2h")},
    Parameter{"user", text("only jobs of this user")},
    Parameter{"wait_ms", number(kSequenceMost, "answer after this time in any case")},
    Parameter{"waiting", number(1000, "so many of those that wait")},
};

// Of a segment of the path.
ValueSchema segment_schema(std::string_view pattern, std::string_view name) {
  if (name == "number") return number(UINT16_MAX, "of a card");
  if (name == "name") return text("of a group or tenant; a slash in it is written %2F");
  const auto is_of = [&](std::string_view noun) {
    return name == "id" && pattern.find(noun) != std::string_view::npos;
  };
  if (is_of("/reservations/")) return number(kSequenceMost, "of a reservation");
  if (is_of("/tokens/")) return text("of a token, as the list of tokens shows it");
  if (name == "id") return text("of a job or lease; like last, a selector that names one");
  return text("7, 7-12, 7,9,20-22, last, @~2 or all");
}

void write_parameter(JsonWriter& json, std::string_view in, std::string_view name,
                     const ValueSchema& schema, bool must = false) {
  json.begin_object().field("name", name).field("in", in);
  json.field("required", must || in == "path");
  ValueSchema value = schema;
  if (!value.what.empty()) json.field("description", value.what);
  value.what = {};
  json.key("schema");
  write_schema(json, value);
  json.end_object();
}

void write_query_parameter(JsonWriter& json, std::string_view name) {
  const auto known = std::ranges::find(kParameters, name, &Parameter::name);
  const bool is_known = known != kParameters.end();
  write_parameter(json, "query", name, is_known ? known->schema : text(""),
                  is_known && known->must);
}

std::vector<std::string_view> names_in(std::string_view pattern) {
  std::vector<std::string_view> names;
  for (const std::string_view segment : split_nonempty(pattern, '/')) {
    if (segment.front() == '{') names.push_back(segment.substr(1, segment.size() - 2));
  }
  return names;
}

void write_parameters(JsonWriter& json, const Route& route) {
  const auto segments = names_in(route.pattern);
  const auto query = split_nonempty(route.query, ' ');
  if (segments.empty() && query.empty() && route.kind != RouteKind::kChange) return;
  json.key("parameters").begin_array();
  for (const std::string_view name : segments) {
    write_parameter(json, "path", name, segment_schema(route.pattern, name));
  }
  for (const std::string_view name : query) write_query_parameter(json, name);
  if (route.kind == RouteKind::kChange) {
    write_query_parameter(json, "dry_run");
    write_parameter(
        json, "header", "Idempotency-Key",
        {.type = "string", .what = "the same request with the same key is done once", .most = 255});
  }
  json.end_array();
}

void write_content(JsonWriter& json, const BodyShape& shape, wire::SchemaTexts& texts) {
  json.key("content").begin_object().foreign_key(shape.type).begin_object();
  if (shape.schema != nullptr) {
    json.key("schema");
    shape.schema(json, texts);
  }
  json.end_object();
  // Not a schema: the lines are objects, but all of them together are none.
  if (!shape.lines.empty()) json.foreign_key(shape.lines).begin_object().end_object();
  json.end_object();
}

// Every status but 200 that a route may answer with.
std::set<int> statuses_of(const Route& route) {
  const auto of = [](ErrorCode code) { return http_status_of(code); };
  std::set<int> all = {of(ErrorCode::kInvalid),         of(ErrorCode::kForbidden),
                       of(ErrorCode::kUnauthenticated), of(ErrorCode::kTooLarge),
                       of(ErrorCode::kInternal),        of(ErrorCode::kUnsupported),
                       of(ErrorCode::kUnavailable)};
  const auto query = split_nonempty(route.query, ' ');
  const bool names_something =
      !names_in(route.pattern).empty() || std::ranges::any_of(query, [](std::string_view name) {
        return name == "ids" || name == "jobs" || name == "card";
      });
  // What is only tried is refused as if it were done.
  const bool tries = route.kind != RouteKind::kChange && !route.takes.type.empty();
  if (names_something || tries || route.kind == RouteKind::kChange) {
    all.insert({of(ErrorCode::kNotFound), of(ErrorCode::kConflict)});
  }
  if (tries) all.insert(of(ErrorCode::kNeverFits));
  if (route.kind == RouteKind::kChange) {
    all.insert({of(ErrorCode::kNeverFits), of(ErrorCode::kStorageFull)});
  }
  return all;
}

// The connection becomes something else, or the client did not ask for that.
void write_upgrade(JsonWriter& json) {
  json.key("101").begin_object();
  json.field("description", "the connection carries packets from here on (docs/api.md)");
  json.end_object().key("426").begin_object();
  json.field("description", "it needs the headers Connection and Upgrade").key("content");
  json.begin_object().foreign_key("application/json").begin_object().key("schema");
  wire::write_reference(json, "Error", false);
  json.end_object().end_object().end_object();
}

void write_done(JsonWriter& json, const Route& route, wire::SchemaTexts& texts) {
  json.key("200").begin_object();
  json.field("description", "done").key("headers").begin_object();
  json.foreign_key("Gpusched-Version").begin_object();
  json.field("$ref", "#/components/headers/Version").end_object().end_object();
  write_content(json, route.gives, texts);
  json.end_object();
}

void write_responses(JsonWriter& json, const Route& route, wire::SchemaTexts& texts) {
  json.key("responses").begin_object();
  const bool upgrades = route.gives.type.empty();
  upgrades ? write_upgrade(json) : write_done(json, route, texts);
  if (route.method == "GET" && !upgrades) {
    json.key("304").begin_object().field("description", "the client has it (If-None-Match)");
    json.end_object();
  }
  json.key("421").begin_object().field("$ref", "#/components/responses/421").end_object();
  for (const int status : statuses_of(route)) {
    json.key(std::to_string(status)).begin_object();
    json.field("$ref", "#/components/responses/" + std::to_string(status)).end_object();
  }
  json.end_object();
}

// On the Unix socket the kernel proves who asks, which no scheme can say: an empty one.
void write_security(JsonWriter& json, const Route& route) {
  const bool by_cookie = route.run != log_in;
  const bool by_token = route.run != make_token && route.run != revoke_token;
  json.key("security").begin_array();
  if (route.run != log_in && route.run != log_out) json.begin_object().end_object();
  if (by_token && route.run != log_out) {
    json.begin_object().key("bearer").begin_array().end_array().end_object();
  }
  if (by_token && by_cookie) {
    json.begin_object().key("cookie").begin_array().end_array().end_object();
  }
  json.end_array();
}

void write_security_schemes(JsonWriter& json) {
  json.key("securitySchemes").begin_object();
  json.key("bearer").begin_object().field("type", "http").field("scheme", "bearer");
  json.field("description", "a token, made by gpusched token create").end_object();
  json.key("cookie").begin_object().field("type", "apiKey").field("in", "cookie");
  json.field("name", kSecureCookie);
  json.field("description",
             "a login, made by POST /v1/login; changes need the header Origin. Over plain HTTP on "
             "loopback its name is gpusched")
      .end_object();
  json.end_object();
}

void write_operation(JsonWriter& json, const Route& route, wire::SchemaTexts& texts) {
  const auto segments = split_nonempty(route.pattern, '/');
  json.begin_object().field("operationId", route.name).field("summary", route.what);
  json.key("tags").begin_array().value(segments[segments[0] == "v1" ? 1 : 0]).end_array();
  write_security(json, route);
  write_parameters(json, route);
  if (!route.takes.type.empty()) {
    json.key("requestBody").begin_object().field("required", route.takes.needed);
    write_content(json, route.takes, texts);
    json.end_object();
  }
  write_responses(json, route, texts);
  json.end_object();
}

void write_paths(JsonWriter& json, wire::SchemaTexts& texts) {
  std::map<std::string_view, std::vector<const Route*>> by_pattern;
  for (const Route& route : all_routes()) by_pattern[route.pattern].push_back(&route);
  json.key("paths").begin_object();
  for (const auto& [pattern, routes] : by_pattern) {
    json.foreign_key(pattern).begin_object();
    for (const Route* route : routes) {
      std::string method(route->method);
      std::ranges::transform(method, method.begin(),
                             [](char c) { return static_cast<char>(c - 'A' + 'a'); });
      json.key(method);
      write_operation(json, *route, texts);
    }
    json.end_object();
  }
  json.end_object();
}

constexpr std::array kAllErrors = {
    ErrorCode::kInvalid,         ErrorCode::kNotFound,    ErrorCode::kForbidden,
    ErrorCode::kUnauthenticated, ErrorCode::kConflict,    ErrorCode::kTooLarge,
    ErrorCode::kNeverFits,       ErrorCode::kBusy,        ErrorCode::kUnavailable,
    ErrorCode::kStorageFull,     ErrorCode::kUnsupported, ErrorCode::kIo,
    ErrorCode::kInternal};

// What is meant by each status, by the table of errors.
void write_error_responses(JsonWriter& json) {
  std::map<int, std::string> codes;
  for (const ErrorCode code : kAllErrors) {
    std::string& text = codes[http_status_of(code)];
    text += (text.empty() ? "" : ", ") + std::string(error_code_name(code));
  }
  codes[421] = "forbidden: Host is not a name of this machine (network.names)";
  json.key("responses").begin_object();
  for (const auto& [status, names] : codes) {
    json.key(std::to_string(status)).begin_object().field("description", names);
    if (status == http_status_of(ErrorCode::kBusy)) {
      json.key("headers").begin_object().foreign_key("Retry-After").begin_object();
      json.field("description", "seconds; only of what is busy").key("schema");
      wire::write_schema(json, {.type = "integer"});
      json.end_object().end_object();
    }
    json.key("content").begin_object().foreign_key("application/json").begin_object();
    json.key("schema");
    wire::write_reference(json, "Error", false);
    json.end_object().end_object().end_object();
  }
  json.end_object();
}

std::string error_schema() {
  std::string words;
  for (const ErrorCode code : kAllErrors) {
    words += (words.empty() ? "" : "|") + std::string(error_code_name(code));
  }
  std::string out;
  JsonWriter json(out);
  wire::ObjectSchema whole(json, wire::Side::kAnswer);
  whole.property("error", true);
  wire::ObjectSchema error(json, wire::Side::kAnswer);
  error.property("code", true);
  wire::write_schema(json, {.type = "string", .words = words});
  error.property("message", true);
  wire::write_schema(json, {.type = "string"});
  error.close();
  whole.close();
  return out;
}

void write_components(JsonWriter& json, const wire::SchemaTexts& texts) {
  json.key("components").begin_object().key("schemas").begin_object();
  for (const auto& [name, schema] : texts) json.key(name).raw(schema);
  json.end_object();
  write_error_responses(json);
  json.key("headers").begin_object().key("Version").begin_object();
  json.field("description", "the daemon's version").key("schema");
  wire::write_schema(json, {.type = "string"});
  json.end_object().end_object();
  write_security_schemes(json);
  json.end_object();
}

// For eyes and for diffs: a line for each thing, innermost lists and objects on one.
std::string indented(std::string_view json) {
  constexpr std::size_t kLineMost = 100;
  std::string out;
  std::size_t depth = 0;
  const auto line = [&] { out.append("\n").append(depth, ' '); };
  // Where the bracket at `from` closes, if that is near and nothing opens in between.
  const auto closes_near = [&](std::size_t from) {
    const std::size_t end = json.find_first_of("{}[]", from + 1);
    const bool inner = end != std::string_view::npos && (json[end] == '}' || json[end] == ']');
    return inner && end - from < kLineMost ? end : std::string_view::npos;
  };
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      const std::size_t begin = at;
      for (++at; json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
      out += json.substr(begin, at - begin + 1);
    } else if (c == '{' || c == '[') {
      if (const std::size_t end = closes_near(at); end != std::string_view::npos) {
        out += json.substr(at, end - at + 1);
        at = end;
        continue;
      }
      out += c;
      ++depth;
      line();
    } else if (c == '}' || c == ']') {
      --depth;
      line();
      out += c;
    } else {
      out += c;
      if (c == ',') line();
      if (c == ':') out += ' ';
    }
  }
  return out + "\n";
}

std::string make_openapi() {
  wire::SchemaTexts texts;
  texts["Error"] = error_schema();
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("openapi", "3.1.0").key("info").begin_object();
  json.field("title", "gpusched").field("version", "1");
  json.field("description",
             "HTTP over a Unix socket, and over TCP with TLS where it is set. docs/api.md says "
             "what the routes mean; this says what they "
             "take and give. Made by the daemon from its own table of routes.");
  json.end_object().key("servers").begin_array().begin_object();
  json.field("url", "http://gpusched").end_object().end_array();
  write_paths(json, texts);
  write_components(json, texts);
  json.end_object();
  return indented(out);
}

}  // namespace

const std::string& openapi_text() {
  static const std::string text = make_openapi();
  return text;
}

void get_openapi(Context&, Call call) { call.responder.send(json_response(openapi_text())); }

}  // namespace gpusched
