#include "tls/context.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "tls/certificate.h"
#include "tls/openssl_error.h"

namespace gpusched {
namespace {

// "http/1.1", as ALPN writes it: each name behind its length.
constexpr std::array<unsigned char, 9> kHttp11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// Who offers other protocols alone is refused in the handshake.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* found = nullptr;
  const int agreed = SSL_select_next_proto(&found, chosen_size, kHttp11.data(), kHttp11.size(),
                                           offered, offered_size);
  *chosen = found;
  return agreed == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// OpenSSL would ask for it at the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

// Empty: nothing is wrong with it.
std::string trouble_with(const std::string& file, bool secret) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return std::strerror(errno);
  if (!S_ISREG(about.st_mode)) return "it is not a file";
  if (secret && (about.st_mode & S_IRWXO) != 0) {
    return "everybody can read it; take that away with chmod o= and make a new key";
  }
  return "";
}

tl::unexpected<Error> wrong_file(const char* what, const std::string& file,
                                 const std::string& why) {
  return failure(ErrorCode::kInvalid, fmt::format("read the {} {}: {}", what, file, why));
}

// Where the distributions keep the authorities that a machine trusts.
constexpr std::array<const char*, 5> kSystemAuthorities = {
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem"};

bool trust_system(SSL_CTX* context) {
  for (const char* file : kSystemAuthorities) {
    if (SSL_CTX_load_verify_file(context, file) == 1) return true;
    (void)openssl_error();
  }
  return false;
}

// How many of them could be read.
int trust_these(SSL_CTX* context, const std::string& authorities) {
  if (authorities.size() > INT_MAX) return 0;
  struct FreeBio {
    void operator()(BIO* bio) const { BIO_free(bio); }
  };
  struct FreeCertificate {
    void operator()(X509* certificate) const { X509_free(certificate); }
  };
  const std::unique_ptr<BIO, FreeBio> text(
      BIO_new_mem_buf(authorities.data(), static_cast<int>(authorities.size())));
  int read = 0;
  while (text != nullptr) {
    const std::unique_ptr<X509, FreeCertificate> one(
        PEM_read_bio_X509(text.get(), nullptr, no_passphrase, nullptr));
    if (!one || X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one.get()) != 1) break;
    ++read;
  }
  (void)openssl_error();
  return read;
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

Result<std::shared_ptr<const TlsContext>> TlsContext::of_server(const std::string& certificate,
                                                                const std::string& key) {
  prepare_openssl();
  for (const bool secret : {false, true}) {
    const std::string& file = secret ? key : certificate;
    const std::string trouble = trouble_with(file, secret);
    if (!trouble.empty()) return wrong_file(secret ? "key" : "certificate", file, trouble);
  }
  Owned made(SSL_CTX_new(TLS_server_method()));
  if (!made) return failure(ErrorCode::kIo, "prepare TLS: " + openssl_error());
  SSL_CTX* context = made.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // Compression leaks what it compresses, and renegotiation is work that a client can order.
  SSL_CTX_set_options(
      context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // Tickets let who was here before skip half of the handshake; nothing is kept for them here.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return wrong_file("certificate", certificate, openssl_error());
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const std::string why = openssl_error();
    const bool other = why.find("mismatch") != std::string::npos;
    return wrong_file("key", key, other ? "it is not that of the certificate" : why);
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return wrong_file("key", key, "it is not that of the certificate");
  }
  std::shared_ptr<TlsContext> ready(new TlsContext(std::move(made), true));
  ready->fingerprint_ = fingerprint_of(SSL_CTX_get0_certificate(context));
  ready->names_ = names_of(SSL_CTX_get0_certificate(context));
  return ready;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::of_client() {
  prepare_openssl();
  Owned made(SSL_CTX_new(TLS_client_method()));
  if (!made) return failure(ErrorCode::kIo, "prepare TLS: " + openssl_error());
  SSL_CTX* context = made.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_alpn_protos(context, kHttp11.data(), kHttp11.size());
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  // Ignoring failure: without the system's authorities every certificate has to be pinned.
  (void)SSL_CTX_set_default_verify_paths(context);
  (void)openssl_error();
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(made), false));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::of_strict_client(
    const std::string& authorities, bool http) {
  prepare_openssl();
  Owned made(SSL_CTX_new(TLS_client_method()));
  if (!made) return failure(ErrorCode::kIo, "prepare TLS: " + openssl_error());
  SSL_CTX* context = made.get();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (http) SSL_CTX_set_alpn_protos(context, kHttp11.data(), kHttp11.size());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (authorities.empty()) {
    if (!trust_system(context)) {
      return failure(ErrorCode::kUnavailable,
                     "this machine has no list of certificate authorities");
    }
  } else {
    if (trust_these(context, authorities) == 0) {
      return failure(ErrorCode::kInvalid, "its ca_file has no certificate in it");
    }
    // Who is named there is trusted, also without those who signed for them.
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(made), false));
}

}  // namespace gpusched
