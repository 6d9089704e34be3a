// For tests: certificates, and TLS between a test client and a server.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "os/fd.h"
#include "os/tcp_address.h"
#include "tests/support/temporary_directory.h"
#include "tls/context.h"

namespace gpusched::testing {

// Made once for each name.
class TestCertificates {
 public:
  std::shared_ptr<const TlsContext> context(const std::string& name);

 private:
  TemporaryDirectory directory_;
  std::map<std::string, std::shared_ptr<const TlsContext>> made_;
};

Fd connect_to(const TcpAddress& address);

// Each is a thread that speaks TLS with the server and carries the bytes.
class TlsPipes {
 public:
  TlsPipes();
  ~TlsPipes();
  // What comes out is closed where the connection is, or where it did not come about.
  Fd through_tls(Fd socket);

 private:
  std::vector<std::thread> threads_;
};

}  // namespace gpusched::testing
