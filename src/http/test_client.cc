#include "http/test_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

namespace gpusched::testing {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// The body of a chunked message if `in` holds all of it; how many bytes it took.
std::optional<std::pair<std::string, std::size_t>> dechunked(const std::string& in,
                                                             std::size_t at) {
  std::string body;
  while (true) {
    const std::size_t end = in.find("\r\n", at);
    if (end == std::string::npos) return std::nullopt;
    const std::size_t size = std::stoul(in.substr(at, end - at), nullptr, 16);
    at = end + 2;
    if (in.size() < at + size + 2) return std::nullopt;
    body.append(in, at, size);
    at += size + 2;
    if (size == 0) return std::pair(body, at);
  }
}

}  // namespace

JsonValue TestResponse::json() const {
  Result<JsonValue> value = parse_json(body);
  EXPECT_TRUE(value) << body;
  return value ? *value : JsonValue{};
}
std::string TestResponse::code() const {
  const JsonValue value = json();
  const JsonValue* error = value.find("error");
  return error == nullptr ? "" : *error->find("code")->as<std::string>();
}
std::string TestResponse::message() const {
  const JsonValue value = json();
  const JsonValue* error = value.find("error");
  return error == nullptr ? "" : *error->find("message")->as<std::string>();
}

TestClient::TestClient(const std::string& socket, std::optional<std::uint32_t> as_uid)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  // The plain system call changes this thread alone, unlike the function of the C library.
  if (as_uid) {
    EXPECT_EQ(::syscall(SYS_setresuid, -1, *as_uid, -1), 0);
  }
  const int connected = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  const int fault = errno;
  if (as_uid) {
    EXPECT_EQ(::syscall(SYS_setresuid, -1, 0, -1), 0);
  }
  EXPECT_EQ(connected, 0) << std::strerror(fault);
}

bool TestClient::try_send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void TestClient::send(std::string_view bytes) { ASSERT_TRUE(try_send(bytes)); }

bool TestClient::more(std::chrono::milliseconds most) {
  pollfd poll{fd_.get(), POLLIN, 0};
  if (::poll(&poll, 1, static_cast<int>(most.count())) != 1) return false;
  char buffer[65536];
  const ssize_t got = ::recv(fd_.get(), buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  in_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

bool TestClient::closed_by_peer() {
  while (more()) {
  }
  char byte = 0;
  return ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0 || errno == ECONNRESET;
}

void TestClient::shut_down_writing() { ::shutdown(fd_.get(), SHUT_WR); }

std::string TestClient::read_until(const std::function<bool(const std::string&)>& enough) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!enough(in_)) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() > 0 && more(left)) continue;
    ADD_FAILURE() << "what was waited for did not come after: " << in_;
    break;
  }
  return in_;
}

TestResponse TestClient::read() {
  TestResponse response;
  std::size_t end = 0;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return response;
  }
  const std::string head = in_.substr(0, end);
  std::size_t at = head.find("\r\n");
  response.status = std::stoi(head.substr(9, 3));
  while (at != std::string::npos) {
    const std::size_t next = head.find("\r\n", at + 2);
    const std::string line = head.substr(at + 2, next == std::string::npos ? next : next - at - 2);
    const std::size_t colon = line.find(": ");
    response.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
    at = next;
  }
  in_.erase(0, end + 4);
  if (response.status == 100) return read();
  if (response.status == 304) {
    response.complete = true;
    return response;
  }
  if (response.headers.contains("content-length")) {
    const std::size_t length = std::stoul(response.headers["content-length"]);
    while (in_.size() < length && more()) {
    }
    response.complete = in_.size() >= length;
    response.body = in_.substr(0, length);
    in_.erase(0, length);
  } else if (response.headers.contains("transfer-encoding")) {
    auto body = dechunked(in_, 0);
    std::size_t tried = in_.size();
    while (!body && more()) {
      // Not at every piece: large answers would be scanned again and again.
      if (in_.size() < tried + tried / 2 && !in_.ends_with("0\r\n\r\n")) continue;
      tried = in_.size();
      body = dechunked(in_, 0);
    }
    response.complete = body.has_value();
    if (body) {
      response.body = std::move(body->first);
      in_.erase(0, body->second);
    } else {
      response.body = in_;
    }
  } else {
    while (more()) {
    }
    response.body = std::exchange(in_, {});
    response.complete = true;
  }
  return response;
}

TestResponse TestClient::ask(const std::string& method, const std::string& target,
                             const std::string& body, const std::string& headers) {
  send(fmt::format("{} {} HTTP/1.1\r\nHost: gpusched\r\n{}Content-Length: {}\r\n\r\n{}", method,
                   target, headers, body.size(), body));
  return read();
}

TestResponse ask(const std::string& socket, const std::string& method, const std::string& target,
                 const std::string& body, const std::string& headers) {
  return TestClient(socket).ask(method, target, body, headers);
}

TestResponse ask_as(std::uint32_t uid, const std::string& socket, const std::string& method,
                    const std::string& target, const std::string& body) {
  return TestClient(socket, uid).ask(method, target, body);
}

bool wait_until(const std::function<bool()>& condition, std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace gpusched::testing
