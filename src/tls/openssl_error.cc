#include "tls/openssl_error.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace gpusched {

std::string openssl_error() {
  // The first is the cause; what follows says who passed it on.
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

void prepare_openssl() { (void)OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr); }

}  // namespace gpusched
