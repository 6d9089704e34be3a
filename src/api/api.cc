#include "api/api.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "api/authenticate.h"
#include "api/context.h"
#include "api/event_stream.h"
#include "api/lease_changes.h"
#include "api/routes/routes.h"
#include "http/peer_process.h"
#include "http/server.h"
#include "http/unix_listener.h"
#include "jobdir/job_directory.h"
#include "os/small_file.h"

namespace gpusched {

namespace {

// Of a socket; anything else may have been given the number of one that is gone.
std::optional<ino_t> inode_of(const std::string& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0 || !S_ISSOCK(about.st_mode)) return std::nullopt;
  return about.st_ino;
}

constexpr std::size_t kParsers = 2;
constexpr std::size_t kFileThreads = 8;

constexpr const char* kLoginsName = "logins";
constexpr std::size_t kLoginsMost = 1U << 20;

// Replaces the file as a whole, beside the loop. Nobody but us reads it.
Result<void> write_logins(const std::string& directory, const std::string& text) {
  const Fd place(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!place) {
    return failure(ErrorCode::kIo, "open " + directory + ": " + std::strerror(errno));
  }
  return replace_file(place.get(), kLoginsName, text, 0600);
}

Logins some_logins(Context& context) {
  if (context.ports.state_directory.empty()) return Logins();
  return Logins([&context](std::string text, Logins::Kept done) {
    context.files.post(kNobody,
                       [directory = context.ports.state_directory, text = std::move(text),
                        done = std::move(done)]() -> Background::Then {
                         return [done, kept = write_logins(directory, text)] { done(kept); };
                       });
  });
}

}  // namespace

bool AfterCommit::flush() {
  // What runs may wait again; that is for the next time.
  LoopTurns::Waiting now = std::exchange(waiting_, {});
  turns_.run(now, [this] { return !must_wait(); });
  for (auto& [uid, left] : now) {
    auto& queue = waiting_[uid];
    queue.insert(queue.begin(), std::make_move_iterator(left.begin()),
                 std::make_move_iterator(left.end()));
  }
  return !now.empty() && !must_wait();
}

Context::Context(boost::asio::io_context& io, Engine& an_engine, ApiPorts some_ports,
                 ApiLimits some_limits)
    : loop(io),
      engine(an_engine),
      ports(std::move(some_ports)),
      limits(some_limits),
      turns(io, ports.now),
      after_commit(engine, turns),
      events(std::make_unique<EventStreams>(io, limits.recent_changes, limits.heartbeat,
                                            limits.look_every)),
      lease_holders(io, engine, limits.lease_grace),
      lease_changes(std::make_unique<LeaseChanges>()),
      log_watch(io),
      names(io, ports.now, ports.name_of_user ? ports.name_of_user : NameCache::system_lookup),
      logins(some_logins(*this)),
      authenticator(
          io, {.now = ports.now,
               .daemon_uid = ports.daemon_uid,
               .account_of = ports.account_of ? ports.account_of : AccountCache::system_lookup,
               .token = [this](const std::string& id) -> const Token* {
                 const auto found = state().tokens().find(id);
                 return found == state().tokens().end() ? nullptr : &found->second;
               },
               .write_use =
                   [this](const std::string& id, Wall at) {
                     engine.post(TokenUsed{id, at});
                   },
               .logins = &logins}),
      lasting(io, {.now = ports.now,
                   .token = [this](const std::string& id) -> const Token* {
                     const auto found = state().tokens().find(id);
                     return found == state().tokens().end() ? nullptr : &found->second;
                   },
                   .logins = &logins,
                   .ask_again =
                       [this](const Principal& who, const Authenticator::Known& known) {
                         authenticator.ask_again(who, known);
                       }}),
      estimates(io, engine, ports.now, limits.look_ahead_every),
      kept_answers(ports.now),
      page(ports.page),
      audit(io, engine, ports.now),
      parser(io, kParsers),
      files(io, kFileThreads),
      replays(io) {
  authenticator.set_roles(limits.roles, limits.tenant_groups);
  logins.read(read_small_file(ports.state_directory + "/" + kLoginsName, kLoginsMost));
}
Context::~Context() = default;

class Api::Impl {
 public:
  Impl(boost::asio::io_context& loop, Engine& engine, ApiPorts ports, ApiLimits limits)
      : context(loop, engine, std::move(ports), limits),
        server(
            loop, context.turns, http_limits(context),
            [this](HttpRequest request, const Responder& responder) {
              dispatch(context, std::move(request), responder);
            },
            body_most) {
    context.clients = [this] { return server.clients(); };
    context.lease_holders.look_at_all();
    engine.on_change([this](const std::vector<JobChange>& changes) {
      context.events->publish(changes);
      context.lease_holders.look(changes);
      context.job_watch.tell(changes);
      context.lease_changes->tell(context.state(), changes);
    });
  }
  ~Impl() { context.engine.on_change({}); }

  static HttpLimits http_limits(const Context& context) {
    HttpLimits http;
    http.body_bytes = context.limits.body_bytes;
    http.header_bytes = context.limits.header_bytes;
    http.clients = context.limits.clients;
    http.clients_per_user = context.limits.clients_per_user;
    // Before anything is asked, and so without looking anybody up.
    http.has_extra_place = [daemon = context.ports.daemon_uid](const Peer& peer) {
      return !peer.network && always_administrator(peer.uid, daemon);
    };
    http.may_send_much = [&context](const std::map<std::string, std::string>& headers) {
      return context.authenticator.is_known(headers);
    };
    http.request_time = context.limits.request_time;
    return http;
  }

  Context context;
  HttpServer server;        // After the context: connections go first.
  std::string socket_path;  // Of a socket made here.
  mode_t socket_mode = 0;
  std::optional<ino_t> inode;  // Of the socket's file.
  int listener = -1;
};

void Api::change_limits(const ApiLimits& limits) {
  ApiLimits& own = impl_->context.limits;
  own.arguments_for_all = limits.arguments_for_all;
  own.visibility = limits.visibility;
  own.prices = limits.prices;
  own.submission_jobs_most = limits.submission_jobs_most;
  own.default_grace = limits.default_grace;
  own.default_retry_back_off = limits.default_retry_back_off;
  own.roles = limits.roles;
  own.names = limits.names;
  own.tenant_groups = limits.tenant_groups;
  impl_->context.authenticator.set_roles(own.roles, own.tenant_groups);
  impl_->context.lasting.look_closely();
}

Api::Api(boost::asio::io_context& loop, Engine& engine, ApiPorts ports, ApiLimits limits)
    : impl_(std::make_unique<Impl>(loop, engine, std::move(ports), limits)) {}
Api::~Api() { stop(); }

Result<void> Api::listen(const std::string& path, mode_t mode) {
  if (std::optional<Fd> inherited = inherited_listener()) {
    serve(std::move(*inherited));
    return {};
  }
  Result<Fd> listener = listen_on_unix(path, mode);
  if (!listener) return failure(listener.error());
  impl_->socket_path = path;
  impl_->socket_mode = mode;
  impl_->listener = listener->get();
  impl_->inode = inode_of(path);
  serve(std::move(*listener));
  return {};
}

Result<bool> Api::renew_socket() {
  if (impl_->socket_path.empty() || inode_of(impl_->socket_path) == impl_->inode) return false;
  Result<Fd> listener = listen_on_unix(impl_->socket_path, impl_->socket_mode);
  if (!listener) return failure(listener.error());
  impl_->listener = listener->get();
  impl_->inode = inode_of(impl_->socket_path);
  impl_->server.replace_listener(std::move(*listener));
  return true;
}

void Api::serve(Fd listener) { impl_->server.serve(std::move(listener), peer_of); }
Result<std::vector<TcpAddress>> Api::listen_on_network(const std::vector<TcpAddress>& addresses,
                                                       std::shared_ptr<const TlsContext> tls) {
  return impl_->server.serve_network(addresses, std::move(tls));
}
Result<void> Api::check_network(const std::vector<TcpAddress>& addresses) {
  return impl_->server.check_network(addresses);
}
void Api::after_turn() {
  if (impl_->context.after_commit.flush()) {
    // No turn may come; the rest goes on when sockets have been looked at.
    impl_->context.turns.give(kNobody, [this] { after_turn(); });
  }
  if (!impl_->context.after_commit.must_wait()) {
    impl_->context.lasting.look();
    impl_->context.estimates.keep_fresh();
  }
}

void Api::stop() {
  if (!impl_->socket_path.empty()) {
    remove_socket_file(std::exchange(impl_->socket_path, {}), impl_->listener);
  }
  impl_->server.stop();
  impl_->context.events->stop();
  impl_->context.log_watch.stop();
}

int Api::clients() const { return impl_->server.clients(); }

}  // namespace gpusched
