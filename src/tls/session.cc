#include "tls/session.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tls/certificate.h"
#include "tls/openssl_error.h"

namespace gpusched {

void TlsSession::Free::operator()(ssl_st* session) const { SSL_free(session); }

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, int socket)
    : context_(std::move(context)), session_(SSL_new(context_->native())) {
  if (!session_ || SSL_set_fd(session_.get(), socket) != 1) {
    fault_ = openssl_error();
    failed_ = true;
    return;
  }
  if (context_->is_server()) {
    SSL_set_accept_state(session_.get());
  } else {
    SSL_set_connect_state(session_.get());
  }
}
TlsSession::~TlsSession() = default;

bool TlsSession::expect(const std::string& host) {
  if (failed_) return false;
  X509_VERIFY_PARAM* wanted = SSL_get0_param(session_.get());
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
      ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) {
    return X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
  }
  // Names are sent, so that a proxy finds the server; addresses are not.
  return X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(session_.get(), host.c_str()) == 1;
}

TlsSession::Said TlsSession::handshake() {
  if (failed_) return Said::kFault;
  ERR_clear_error();
  return said(SSL_do_handshake(session_.get()));
}

ServerProof TlsSession::proof() const {
  ServerProof proof;
  X509* shown = SSL_get0_peer_certificate(session_.get());
  proof.fingerprint = fingerprint_of(shown);
  const long verified = SSL_get_verify_result(session_.get());
  proof.by_authority = shown != nullptr && verified == X509_V_OK;
  if (!proof.by_authority) proof.why_not = X509_verify_cert_error_string(verified);
  return proof;
}

TlsSession::Said TlsSession::read(char* to, std::size_t most, std::size_t& got) {
  if (failed_) return Said::kFault;
  ERR_clear_error();
  return said(SSL_read_ex(session_.get(), to, most, &got));
}

TlsSession::Said TlsSession::look() {
  if (failed_) return Said::kFault;
  char byte = 0;
  std::size_t got = 0;
  ERR_clear_error();
  return said(SSL_peek_ex(session_.get(), &byte, 1, &got));
}

TlsSession::Said TlsSession::write(const char* from, std::size_t size, std::size_t& sent) {
  if (failed_) return Said::kFault;
  ERR_clear_error();
  return said(SSL_write_ex(session_.get(), from, size, &sent));
}

void TlsSession::end() {
  if (failed_ || SSL_in_init(session_.get()) != 0) return;
  ERR_clear_error();
  // Ignoring failure: who is gone needs no farewell.
  (void)SSL_shutdown(session_.get());
  ERR_clear_error();
}

TlsSession::Said TlsSession::said(int result) {
  if (result == 1) return Said::kDone;
  const int saved = errno;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Said::kWantsToRead;
    case SSL_ERROR_WANT_WRITE:
      return Said::kWantsToWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Said::kEnd;
    case SSL_ERROR_SYSCALL:
      fault_ = saved == 0 ? "the connection was closed" : std::strerror(saved);
      break;
    default:
      plain_http_ = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
      no_tls_ = ERR_GET_REASON(ERR_peek_error()) == SSL_R_WRONG_VERSION_NUMBER;
      fault_ = openssl_error();
  }
  failed_ = true;
  return Said::kFault;
}

}  // namespace gpusched
