// What the TLS connections of one side share: of a server its certificate and key, of a client what
// it trusts. A new certificate is a new context; connections keep the one they began with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

struct ssl_ctx_st;

namespace gpusched {

class TlsContext {
 public:
  // From two PEM files. The certificate may be followed by those that signed it. An error is one
  // sentence that names the file.
  static Result<std::shared_ptr<const TlsContext>> of_server(const std::string& certificate,
                                                             const std::string& key);
  // Connects to everybody: who asks looks at TlsSession::proof() before it says anything.
  static Result<std::shared_ptr<const TlsContext>> of_client();
  // Shakes hands only with whom an authority has signed for: one of `authorities` (PEM), or, if
  // that is empty, one that this machine trusts. The environment has no say in it. `http`: offers
  // HTTP/1.1.
  static Result<std::shared_ptr<const TlsContext>> of_strict_client(const std::string& authorities,
                                                                    bool http);

  // Of the server's certificate (certificate.h).
  const std::string& fingerprint() const { return fingerprint_; }
  const std::vector<std::string>& names() const { return names_; }
  bool is_server() const { return server_; }
  ssl_ctx_st* native() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  using Owned = std::unique_ptr<ssl_ctx_st, Free>;
  TlsContext(Owned context, bool server) : context_(std::move(context)), server_(server) {}

  Owned context_;
  bool server_;
  std::string fingerprint_;
  std::vector<std::string> names_;
};

}  // namespace gpusched
