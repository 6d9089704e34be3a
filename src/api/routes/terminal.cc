// GET /v1/jobs/{id}/terminal: the connection becomes the job's terminal (docs/adr/0106). The daemon
// carries packets between the client and the job's supervisor, and looks at nothing but their kind.
#include <fmt/format.h>
#include <sys/socket.h>

#include <memory>
#include <utility>

#include "api/answers.h"
#include "api/routes/routes.h"
#include "base/text.h"
#include "jobdir/control_client.h"
#include "jobdir/control_protocol.h"
#include "jobdir/job_directory.h"

namespace gpusched {
namespace {

constexpr std::string_view kTerminalProtocol = "gpusched-terminal";
constexpr std::uint64_t kAttemptNumberMost = 1'000'000;

bool asks_for_upgrade(const HttpRequest& request) {
  const auto has = [&](const char* name, std::string_view word) {
    const auto found = request.headers.find(name);
    return found != request.headers.end() &&
           lower_case(found->second).find(word) != std::string::npos;
  };
  return has("connection", "upgrade") && has("upgrade", kTerminalProtocol);
}

HttpResponse upgrade_required() {
  HttpResponse response = error_response(
      {ErrorCode::kInvalid, fmt::format("a terminal needs the headers Connection: Upgrade and "
                                        "Upgrade: {}, or use gpusched attach",
                                        kTerminalProtocol)});
  response.status = 426;
  response.headers.emplace_back("Upgrade", kTerminalProtocol);
  return response;
}

// The attempt that has a terminal now. kConflict: there is none at the moment, or never.
Result<AttemptId> attempt_of(const Job& job, std::optional<std::uint64_t> wanted) {
  const auto id = number_of(job.id);
  if (job.spec->attach == Attach::kNone) {
    return failure(ErrorCode::kConflict,
                   fmt::format("job {} has no terminal: run starts jobs that have one", id));
  }
  if (!job.active()) {
    return failure(ErrorCode::kConflict, fmt::format("job {} does not run at the moment", id));
  }
  if (wanted && *wanted != static_cast<std::uint64_t>(job.attempt)) {
    return failure(ErrorCode::kConflict,
                   fmt::format("job {} is at its attempt {}", id, job.attempt));
  }
  return AttemptId{job.id, job.attempt};
}

// Nobody but the daemon's own user, and root, is taken for a supervisor.
bool is_supervisor(int socket, std::uint32_t daemon_uid) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == daemon_uid;
}

Result<Fd> connect_to_terminal(const Context& context, AttemptId attempt) {
  const auto id = number_of(attempt.job);
  auto socket = connect_control(attempt_directory(context.ports.state_directory, attempt), false);
  // Where its files are is nobody's business here.
  if (!socket && socket.error().code == ErrorCode::kNotFound) {
    return failure(ErrorCode::kConflict,
                   fmt::format("the terminal of job {} is not there yet, or no more", id));
  }
  if (!socket || !is_supervisor(socket->get(), context.ports.daemon_uid)) {
    return failure(ErrorCode::kUnavailable,
                   fmt::format("the terminal of job {} does not answer", id));
  }
  return socket;
}

// A token that is revoked or has expired ends what it began.
std::function<bool()> still_good(const Context& context, const Principal& actor) {
  if (actor.proof != Proof::kToken) return [] { return true; };
  return [&context, token = actor.token] {
    const auto found = context.state().tokens().find(token);
    if (found == context.state().tokens().end()) return false;
    return !found->second.expired(context.now().wall);
  };
}

}  // namespace

void open_terminal(Context& context, Call call) {
  const auto wanted = query_number(call.request.query, "attempt", kAttemptNumberMost);
  if (!wanted) return call.responder.fail(wanted.error());
  Result<const Job*> job = selected_job(context, call);
  if (!job) return call.responder.fail(job.error());
  if (!asks_for_upgrade(call.request)) return call.responder.send(upgrade_required());
  if (!may(call.actor, Action::kChangeJob, owned_by((*job)->owner))) {
    return call.responder.fail(
        {ErrorCode::kForbidden,
         fmt::format("job {} belongs to {}; only its owner and administrators attach to it",
                     number_of((*job)->id), (*job)->owner.user)});
  }
  const auto attempt = attempt_of(**job, *wanted);
  if (!attempt) return call.responder.fail(attempt.error());
  auto socket = connect_to_terminal(context, *attempt);
  if (!socket) return call.responder.fail(socket.error());
  auto upgrade = std::make_shared<Upgrade>();
  upgrade->protocol = kTerminalProtocol;
  upgrade->socket = std::move(*socket);
  upgrade->packet_most = kLargestControlPacket;
  upgrade->answer_to = [](std::string_view packet) -> std::optional<std::string> {
    if (may_come_from_afar(packet)) return std::nullopt;
    return encode(Refused{"this is not passed on to a supervisor"});
  };
  upgrade->may_go_on = still_good(context, call.actor);
  context.lasting.add(call.actor, call.responder);
  HttpResponse response;
  response.upgrade = std::move(upgrade);
  call.responder.send(std::move(response));
}

}  // namespace gpusched
