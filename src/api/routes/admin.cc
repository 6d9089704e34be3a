// GET /v1/version, /v1/backup, /v1/config, /v1/settings, /v1/debug/snapshot, POST
// /v1/config/reload, PUT /v1/log-level
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "api/answers.h"
#include "api/file_stream.h"
#include "api/routes/routes.h"
#include "api/veil.h"
#include "core/explain/excerpt.h"
#include "wire/message_json.h"
#include "wire/messages/machine.h"
#include "wire/snapshot.h"

namespace gpusched {
namespace {

// Jobs further back do not change what is decided next.
constexpr std::size_t kSnapshotWaitingMost = 10'000;

// Of what is done outside of the queue: answered when it is in the audit. It is done all the same
// while nothing can be written.
void send_done(Context& context, const Call& call, const std::string& answer) {
  const auto send = [call, answer] { call.responder.send(json_response(answer)); };
  if (call.dry_run) return send();
  ask_engine(context, call, Reconsider{}, [send](const Result<Answer>&) { send(); });
}

}  // namespace

void get_version(Context& context, Call call) {
  wire::Version answer{.version = GPUSCHED_VERSION,
                       .pid = ::getpid(),
                       .uid = context.ports.daemon_uid,
                       .started_at = context.ports.started_at,
                       .state_directory = context.ports.state_directory,
                       .cards_from = context.ports.cards_from(),
                       .page = !context.ports.page.empty(),
                       .addresses = {},
                       .socket = context.ports.socket,
                       .problems = problems_for(context, call.actor)};
  if (context.ports.addresses) answer.addresses = context.ports.addresses();
  call.responder.send(json_response(wire::to_json(answer)));
}

void get_snapshot(Context& context, Call call) {
  // Copied here, written out elsewhere. Shared, because a function object must be copyable.
  auto excerpt =
      std::make_shared<Excerpt>(excerpt_of(context.state(), kSnapshotWaitingMost, context.now()));
  context.parser.post(call.actor.account(), [call, excerpt]() -> Background::Then {
    auto text = std::make_shared<std::string>(snapshot_to_json(*excerpt));
    return [call, text] { call.responder.send(json_response(std::move(*text))); };
  });
}

void get_backup(Context& context, Call call) {
  const std::string path = fmt::format("{}/backup-{}-{}.tmp", context.ports.state_directory,
                                       ::getpid(), ++context.backups);
  context.ports.backup(path, [&context, call, path](const Result<void>& done) {
    if (!done) {
      ::unlink(path.c_str());
      return call.responder.fail(done.error());
    }
    Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const int fault = errno;
    // The open file is all that is needed; nothing is left behind whatever the client does.
    ::unlink(path.c_str());
    if (!file) {
      return call.responder.fail(
          {ErrorCode::kIo, fmt::format("open the backup {}: {}", path, std::strerror(fault))});
    }
    send_file(context, std::move(file), call.responder);
  });
}

void get_config(Context& context, Call call) {
  HttpResponse response;
  response.content_type = "application/yaml";
  response.body = context.ports.config_text();
  call.responder.send(std::move(response));
}

void get_settings(Context& context, Call call) {
  if (!context.ports.settings) {
    return call.responder.fail({ErrorCode::kUnsupported, "this daemon has no settings"});
  }
  const bool addresses = may(call.actor, Action::kOperate);
  call.responder.send(json_response(wire::to_json(context.ports.settings(addresses))));
}

void reload_config(Context& context, Call call) {
  if (!context.ports.reload) {
    return call.responder.fail({ErrorCode::kUnsupported, "this daemon reads no configuration"});
  }
  const Result<Reloaded> done = context.ports.reload(call.dry_run);
  if (!done) return call.responder.fail(done.error());
  if (call.asked) {
    call.asked->entry.summary = fmt::format("{} changed settings", done->changes.size());
  }
  wire::ConfigReloaded answer{.file = done->file, .dry_run = call.dry_run};
  for (const ReloadedSetting& change : done->changes) {
    answer.changes.push_back({change.setting, change.from, change.to, change.at_restart});
  }
  if (done->roles.empty()) return send_done(context, call, wire::to_json(answer));
  context.authenticator.find_unknown(done->roles, call.actor.account(),
                                     [&context, call, answer](std::vector<std::string> unknown) {
                                       wire::ConfigReloaded whole = answer;
                                       whole.warnings = std::move(unknown);
                                       send_done(context, call, wire::to_json(whole));
                                     });
}

void set_log_level_route(Context& context, Call call) {
  const auto asked = wire::read_request<wire::LogLevelRequest>(call.request.body);
  if (!asked) return call.responder.fail(asked.error());
  if (!call.dry_run) {
    if (Result<void> set = context.ports.set_log_level(asked->level); !set) {
      return call.responder.fail(set.error());
    }
  }
  if (call.asked) call.asked->entry.summary = "level " + asked->level;
  const wire::LogLevelSet answer{.level = asked->level, .dry_run = call.dry_run};
  send_done(context, call, wire::to_json(answer));
}

}  // namespace gpusched
