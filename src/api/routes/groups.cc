// GET /v1/groups, PUT and DELETE /v1/groups/{name}
#include <fmt/format.h>

#include <utility>

#include "api/answers.h"
#include "api/event_stream.h"
#include "api/routes/routes.h"
#include "json/json_fields.h"
#include "json/json_writer.h"
#include "wire/labels.h"

namespace gpusched {
namespace {

constexpr int kLimitMost = 1'000'000;

void write_group(JsonWriter& json, const StateView& state, const Group& group) {
  json.begin_object().field("name", group.name).field("limit", group.limit);
  json.field("running", state.active_in_group(group.name));
  json.field("waiting", state.waiting_in_group(group.name)).end_object();
}

std::string groups_json(const StateView& state, const std::vector<Group>& groups, bool dry_run) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("groups").begin_array();
  for (const Group& group : groups) write_group(json, state, group);
  json.end_array();
  if (dry_run) json.field("dry_run", true);
  json.end_object();
  return out;
}

Result<int> parse_limit(const std::string& body) {
  Result<JsonValue> value = parse_json(body);
  if (!value) return failure(value.error());
  Fields fields(*value);
  int limit = 0;
  if (!fields.number("limit", limit, 0, kLimitMost)) fields.fault("limit", "is missing");
  if (Result<void> read = fields.finish(); !read) return failure(read.error());
  return limit;
}

}  // namespace

void list_groups(Context& context, Call call) {
  std::vector<Group> groups;
  for (const auto& [name, group] : context.state().groups()) groups.push_back(group);
  call.responder.send(json_response(groups_json(context.state(), groups, false)));
}

void set_group(Context& context, Call call) {
  const std::string name = call.captured.at(0);
  if (const auto fault = fault_of_label("the group's name", name)) {
    return call.responder.fail({ErrorCode::kInvalid, *fault});
  }
  Result<int> limit = parse_limit(call.request.body);
  if (!limit) return call.responder.fail(limit.error());
  const Group group{name, *limit};
  ask_engine(
      context, call, GroupSetAsked{call.actor, name, *limit},
      [&context, call, group](const Result<Answer>& answer) {
        if (!answer) return call.responder.fail(answer.error());
        if (!call.dry_run) {
          std::string event;
          JsonWriter json(event);
          write_group(json, context.state(), group);
          context.events->publish_group(event);
        }
        call.responder.send(json_response(groups_json(context.state(), {group}, call.dry_run)));
      });
}

void remove_group(Context& context, Call call) {
  const std::string name = call.captured.at(0);
  ask_engine(context, call, GroupRemoveAsked{call.actor, name},
             [&context, call, name](const Result<Answer>& answer) {
               if (!answer) return call.responder.fail(answer.error());
               if (!call.dry_run) {
                 std::string event;
                 JsonWriter json(event);
                 json.begin_object().field("name", name).field("removed", true).end_object();
                 context.events->publish_group(event);
               }
               call.responder.send(json_response(groups_json(context.state(), {}, call.dry_run)));
             });
}

}  // namespace gpusched
