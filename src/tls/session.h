// TLS on one connected socket. It never waits: what cannot go on says what it needs first. Knows no
// event loop, so that daemon and client share it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tls/context.h"

struct ssl_st;

namespace gpusched {

// What a server has shown of itself in the handshake.
struct ServerProof {
  std::string fingerprint;
  bool by_authority = false;  // One that this machine trusts has signed it, for this very name.
  std::string why_not;        // Else.
};

class TlsSession {
 public:
  enum class Said : unsigned char {
    kDone,
    kWantsToRead,   // Call again when the socket can be read.
    kWantsToWrite,  // Call again, with the same bytes, when it can be written.
    kEnd,           // The other side has said that nothing more comes.
    kFault,
  };

  // REQUIRES: `socket` does not block, and stays open while anything else is called here.
  TlsSession(std::shared_ptr<const TlsContext> context, int socket);
  ~TlsSession();

  // Of a client, before the handshake: the host or address that it means.
  bool expect(const std::string& host);
  Said handshake();
  ServerProof proof() const;

  Said read(char* to, std::size_t most, std::size_t& got);
  // kDone: there is something to read.
  Said look();
  Said write(const char* from, std::size_t size, std::size_t& sent);
  // Tells the other side that nothing more comes, if the socket takes it at once.
  void end();

  // Why the last call was a fault.
  const std::string& fault() const { return fault_; }
  // The handshake failed because the client speaks HTTP without TLS.
  bool heard_plain_http() const { return plain_http_; }
  // The handshake failed because what came is no TLS at all.
  bool heard_no_tls() const { return no_tls_; }

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };
  Said said(int result);

  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<ssl_st, Free> session_;
  std::string fault_;
  bool failed_ = false;  // Nothing may be said any more.
  bool plain_http_ = false;
  bool no_tls_ = false;
};

}  // namespace gpusched
