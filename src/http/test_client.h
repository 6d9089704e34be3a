// For tests: a blocking HTTP client that shows exactly what came back.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "json/json_value.h"
#include "os/fd.h"

namespace gpusched::testing {

struct TestResponse {
  int status = 0;                              // 0: the connection broke before there was one.
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;
  bool complete = false;

  JsonValue json() const;
  // error.code and error.message of an error answer.
  std::string code() const;
  std::string message() const;
};

class TestClient {
 public:
  // `as_uid` needs root: the kernel then reports that user as the peer.
  explicit TestClient(const std::string& socket, std::optional<std::uint32_t> as_uid = {});
  explicit TestClient(Fd connected) : fd_(std::move(connected)) {}

  void send(std::string_view bytes);
  // False if the other side has closed.
  bool try_send(std::string_view bytes);
  TestResponse read();
  // Reads until the bytes read so far satisfy `enough`; that they never do is a failure.
  std::string read_until(const std::function<bool(const std::string&)>& enough);
  // True if nothing comes, as far as can be seen in a short while.
  bool hears_nothing() { return in_.empty() && !more(std::chrono::milliseconds(50)); }
  bool closed_by_peer();
  void shut_down_writing();
  int fd() const { return fd_.get(); }

  TestResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = {}, const std::string& headers = {});

 private:
  // Appends to in_; false at the end or when the time is up.
  bool more(std::chrono::milliseconds most = std::chrono::seconds(20));

  Fd fd_;
  std::string in_;
};

TestResponse ask_as(std::uint32_t uid, const std::string& socket, const std::string& method,
                    const std::string& target, const std::string& body = {});
// One connection, one request.
TestResponse ask(const std::string& socket, const std::string& method, const std::string& target,
                 const std::string& body = {}, const std::string& headers = {});

// True as soon as `condition` is; false when the time is up.
bool wait_until(const std::function<bool()>& condition,
                std::chrono::milliseconds most = std::chrono::seconds(20));

}  // namespace gpusched::testing
