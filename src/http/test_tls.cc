#include "http/test_tls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <fstream>

#include "tls/certificate.h"
#include "tls/pump.h"

namespace gpusched::testing {

std::shared_ptr<const TlsContext> TestCertificates::context(const std::string& name) {
  std::shared_ptr<const TlsContext>& context = made_[name];
  if (context) return context;
  const auto made = make_certificate({"localhost", "127.0.0.1"});
  EXPECT_TRUE(made);
  const std::string certificate = directory_ / (name + ".crt");
  const std::string key = directory_ / (name + ".key");
  std::ofstream(certificate) << made->certificate;
  std::ofstream(key) << made->key;
  ::chmod(key.c_str(), 0600);
  const auto loaded = TlsContext::of_server(certificate, key);
  EXPECT_TRUE(loaded) << loaded.error().message;
  context = *loaded;
  return context;
}

Fd connect_to(const TcpAddress& address) {
  Fd socket(::socket(address.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.address), address.size),
      0);
  return socket;
}

TlsPipes::TlsPipes() { std::signal(SIGPIPE, SIG_IGN); }
TlsPipes::~TlsPipes() {
  for (std::thread& thread : threads_) thread.join();
}

Fd TlsPipes::through_tls(Fd socket) {
  constexpr int kPatience = 60'000;
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  threads_.emplace_back([inner = Fd(ends[1]), outer = std::move(socket)] {
    TlsSession session(*TlsContext::of_client(), outer.get());
    if (!shake_hands(session, outer.get(), kPatience)) return;
    (void)pump(session, outer.get(), inner.get(), inner.get());
  });
  return Fd(ends[0]);
}

}  // namespace gpusched::testing
