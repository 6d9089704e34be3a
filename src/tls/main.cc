// gpusched-tls: what the client needs OpenSSL for, so that the client itself does without it.
//   gpusched-tls cert CERTIFICATE KEY NAME...   makes the two files, prints the fingerprint
//   gpusched-tls check CERTIFICATE KEY          prints the fingerprint, or why a server could not
//                                               use the two
//   gpusched-tls connect HOST PORT              carries its input and output over TLS, after one
//                                               line that says who answers
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "json/error_json.h"
#include "json/json_writer.h"
#include "os/fd.h"
#include "tls/certificate.h"
#include "tls/dial.h"
#include "tls/pump.h"

namespace gpusched {
namespace {

constexpr int kHandshakeMost = 30'000;  // Milliseconds.
constexpr std::string_view kGreeting = "{\"gpusched_tls\":1,";

int fail(const Error& error) {
  std::fprintf(stderr, "gpusched: %s\n", error.message.c_str());
  return exit_code_of(error.code);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Whole or not at all: who reads it meanwhile finds the old one.
Result<void> put_file(const std::string& path, std::string_view text, mode_t mode) {
  const std::string fresh = path + ".new";
  const auto fault = [&](const char* doing) {
    const int why = errno;
    (void)::unlink(fresh.c_str());
    return failure(ErrorCode::kIo, fmt::format("{} {}: {}", doing, path, std::strerror(why)));
  };
  (void)::unlink(fresh.c_str());
  const Fd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) return fault("make");
  if (::fchmod(file.get(), mode) != 0 || !write_all(file.get(), text) || ::fsync(file.get()) != 0 ||
      ::rename(fresh.c_str(), path.c_str()) != 0) {
    return fault("write");
  }
  return {};
}

int run_cert(const std::vector<std::string>& words) {
  constexpr mode_t kForMe = 0600;
  constexpr mode_t kForAll = 0644;
  const auto made = make_certificate({words.begin() + 2, words.end()});
  if (!made) return fail(made.error());
  if (auto put = put_file(words[1], made->key, kForMe); !put) return fail(put.error());
  if (auto put = put_file(words[0], made->certificate, kForAll); !put) return fail(put.error());
  std::printf("%s\n", made->fingerprint.c_str());
  return 0;
}

// What it finds is its answer, so all of it goes to standard output.
int run_check(const std::vector<std::string>& words) {
  const auto context = TlsContext::of_server(words[0], words[1]);
  std::printf("%s\n",
              context ? (*context)->fingerprint().c_str() : context.error().message.c_str());
  return context ? 0 : exit_code_of(context.error().code);
}

std::string greeting_of(const ServerProof& proof) {
  std::string line(kGreeting);
  line += fmt::format("\"by_authority\":{},\"fingerprint\":", proof.by_authority);
  append_json_string(line, proof.fingerprint);
  line += ",\"why_not\":";
  append_json_string(line, proof.why_not);
  return line + "}\n";
}

Result<void> connect_and_carry(const std::string& host, const std::string& port) {
  auto context = TlsContext::of_client();
  if (!context) return failure(context.error());
  auto socket = dial(host, port, STDIN_FILENO);
  if (!socket) return failure(socket.error());
  TlsSession session(*context, socket->get());
  if (!session.expect(host)) {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is no name of a host", host));
  }
  if (auto shaken = shake_hands(session, socket->get(), kHandshakeMost, STDIN_FILENO); !shaken) {
    return failure(shaken.error().code,
                   fmt::format("speak TLS with {}:{}: {}", host, port, shaken.error().message));
  }
  if (!write_all(STDOUT_FILENO, greeting_of(session.proof()))) return {};
  // From here on the other side's words are all there is; a break shows by their end.
  (void)pump(session, socket->get(), STDIN_FILENO, STDOUT_FILENO);
  return {};
}

int run_connect(const std::vector<std::string>& words) {
  const auto done = connect_and_carry(words[0], words[1]);
  if (!done) {
    // Said where it will be read.
    write_all(STDOUT_FILENO, std::string(kGreeting) + error_json(done.error()).substr(1) + "\n");
  }
  return 0;
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  using namespace gpusched;
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::string verb = words.empty() ? "" : words.front();
  if (!words.empty()) words.erase(words.begin());
  if (verb == "cert" && words.size() >= 3) return run_cert(words);
  if (verb == "check" && words.size() == 2) return run_check(words);
  if (verb == "connect" && words.size() == 2) return run_connect(words);
  if (verb == "--version") {
    std::puts("gpusched-tls " GPUSCHED_VERSION);
    return 0;
  }
  return fail({ErrorCode::kInvalid, "gpusched starts this program; see gpusched cert --help"});
}
