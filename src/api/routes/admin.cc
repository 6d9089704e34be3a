// GET /v1/version, /v1/backup, /v1/config, /v1/debug/snapshot, POST /v1/config/reload,
// PUT /v1/log-level
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "api/answers.h"
#include "api/file_stream.h"
#include "api/routes/routes.h"
#include "core/explain/excerpt.h"
#include "json/json_fields.h"
#include "json/json_writer.h"
#include "wire/snapshot.h"

namespace gpusched {
namespace {

// Jobs further back do not change what is decided next.
constexpr std::size_t kSnapshotWaitingMost = 10'000;

}  // namespace

void get_version(Context& context, Call call) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("version", GPUSCHED_VERSION);
  json.key("api").begin_object().field("least", 1).field("most", 1).end_object();
  json.field("pid", ::getpid()).field("uid", context.ports.daemon_uid);
  json.field("started_at", context.ports.started_at);
  json.field("state_directory", context.ports.state_directory);
  json.field("cards_from", context.ports.cards_from());
  write_problems(json, context);
  json.end_object();
  call.responder.send(json_response(std::move(out)));
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

void reload_config(Context& context, Call call) {
  if (!context.ports.reload) {
    return call.responder.fail({ErrorCode::kUnsupported, "this daemon reads no configuration"});
  }
  const Result<Reloaded> done = context.ports.reload(call.dry_run);
  if (!done) return call.responder.fail(done.error());
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("file").text_or_null(done->file);
  json.key("changes").begin_array();
  for (const ReloadedSetting& change : done->changes) {
    json.begin_object().field("setting", change.setting);
    json.field("from", change.from).field("to", change.to);
    json.field("at_restart", change.at_restart).end_object();
  }
  json.end_array();
  if (call.dry_run) json.field("dry_run", true);
  json.end_object();
  call.responder.send(json_response(std::move(out)));
}

void set_log_level_route(Context& context, Call call) {
  Result<JsonValue> value = parse_json(call.request.body);
  if (!value) return call.responder.fail(value.error());
  Fields fields(*value);
  std::string level;
  std::size_t position = 0;
  if (!fields.word("level", {"error", "warning", "info", "debug"}, position)) {
    fields.fault("level", "is missing");
  }
  fields.text("level", level);
  if (Result<void> read = fields.finish(); !read) return call.responder.fail(read.error());
  if (!call.dry_run) {
    if (Result<void> set = context.ports.set_log_level(level); !set) {
      return call.responder.fail(set.error());
    }
  }
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("level", level);
  if (call.dry_run) json.field("dry_run", true);
  json.end_object();
  call.responder.send(json_response(std::move(out)));
}

}  // namespace gpusched
