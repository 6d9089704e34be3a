// GET /v1/groups, PUT and DELETE /v1/groups/{name}
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "api/answers.h"
#include "api/event_stream.h"
#include "api/routes/routes.h"
#include "api/selector.h"
#include "api/veil.h"
#include "json/json_writer.h"
#include "wire/labels.h"
#include "wire/message_json.h"
#include "wire/messages/machine.h"

namespace gpusched {
namespace {

wire::Group answer_of(const StateView& state, const Group& group) {
  return {.name = group.name,
          .limit = group.limit,
          .paused = group.paused,
          .owner = std::string(owner_of_group(group.name)),
          .running = static_cast<std::uint64_t>(state.active_in_group(group.name)),
          .waiting = state.waiting_in_group(group.name)};
}

std::string groups_json(const StateView& state, const std::vector<Group>& groups, bool dry_run,
                        std::optional<std::uint64_t> waiting = {}) {
  wire::Groups answer{.waiting = waiting, .dry_run = dry_run};
  for (const Group& group : groups) answer.groups.push_back(answer_of(state, group));
  return wire::to_json(answer);
}

Result<GroupSetAsked> parse_group(const std::string& body) {
  const auto read = wire::read_request<wire::GroupRequest>(body);
  if (!read) return failure(read.error());
  if (!read->limit && !read->paused) {
    return failure(ErrorCode::kInvalid, "limit or paused must be given");
  }
  GroupSetAsked asked;
  asked.limit = read->limit;
  asked.paused = read->paused;
  return asked;
}

// Without a slash, who may not change everybody's groups means one of their own.
std::string meant_by(const Principal& actor, const std::string& name) {
  const bool own = !may(actor, Action::kChangeGroup) && owner_of_group(name).empty();
  return own ? own_group(actor.user, name) : name;
}

}  // namespace

void list_groups(Context& context, Call call) {
  std::vector<Group> groups;
  const Veil veil(context, call.actor);
  for (const auto& [name, group] : context.state().groups()) {
    if (shows_group(veil, name)) groups.push_back(group);
  }
  call.responder.send(json_response(groups_json(context.state(), groups, false)));
}

void set_group(Context& context, Call call) {
  const std::string& name = call.captured.at(0);
  if (const auto fault = fault_of_label("the group's name", name)) {
    return call.responder.fail({ErrorCode::kInvalid, *fault});
  }
  if (name.starts_with('/') || name.ends_with('/') || name.find('/') != name.rfind('/')) {
    return call.responder.fail(
        {ErrorCode::kInvalid, "'" + name + "' is no name of a group: write NAME, or USER/NAME"});
  }
  Result<GroupSetAsked> asked = parse_group(call.request.body);
  if (!asked) return call.responder.fail(asked.error());
  with_named_actor(context, call, [&context, asked = *asked](const Call& named) {
    GroupSetAsked whole = asked;
    whole.actor = named.actor;
    whole.name = meant_by(named.actor, named.captured.at(0));
    Group group{.name = whole.name};
    const auto before = context.state().groups().find(whole.name);
    if (before != context.state().groups().end()) group = before->second;
    group.limit = whole.limit.value_or(group.limit);
    group.paused = whole.paused.value_or(group.paused);
    ask_engine(
        context, named, std::move(whole), [&context, named, group](const Result<Answer>& answer) {
          if (!answer) return named.responder.fail(answer.error());
          if (!named.dry_run) {
            context.events->publish_group(context, group.name,
                                          wire::to_json(answer_of(context.state(), group)));
          }
          named.responder.send(json_response(groups_json(context.state(), {group}, named.dry_run)));
        });
  });
}

void remove_group(Context& context, Call call) {
  with_named_actor(context, call, [&context](const Call& named) {
    const std::string name = meant_by(named.actor, named.captured.at(0));
    const auto resume = query_number(named.request.query, "resume", 1);
    if (!resume) return named.responder.fail(resume.error());
    const bool resumes = resume->value_or(0) != 0;
    const std::uint64_t waiting = context.state().waiting_in_group(name);
    ask_engine(context, named, GroupRemoveAsked{named.actor, name, resumes},
               [&context, named, name, waiting](const Result<Answer>& answer) {
                 if (!answer) return named.responder.fail(answer.error());
                 if (!named.dry_run) {
                   std::string event;
                   JsonWriter json(event);
                   json.begin_object().field("name", name).field("removed", true).end_object();
                   context.events->publish_group(context, name, event);
                 }
                 named.responder.send(
                     json_response(groups_json(context.state(), {}, named.dry_run, waiting)));
               });
  });
}

}  // namespace gpusched
