// Certificates: one of one's own for a server, and the fingerprint by which people compare them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

struct x509_st;

namespace gpusched {

struct MadeCertificate {
  std::string certificate;  // PEM.
  std::string key;          // PEM; nobody else's business.
  std::string fingerprint;
};

// Signed by itself, for ten years, with an ECDSA key on P-256. `names` are host names and
// addresses; the first becomes its title. REQUIRES: at least one.
Result<MadeCertificate> make_certificate(const std::vector<std::string>& names);

// SHA-256 of the whole certificate: "AB:CD:…", as browsers and `openssl x509 -fingerprint` show it.
std::string fingerprint_of(const x509_st* certificate);

// The host names and addresses that it is for, in lower case; "*.lab.example" as it stands.
std::vector<std::string> names_of(const x509_st* certificate);

}  // namespace gpusched
