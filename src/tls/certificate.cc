#include "tls/certificate.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "tls/openssl_error.h"

namespace gpusched {
namespace {

constexpr long kDay = 24L * 60 * 60;
constexpr long kTenYears = 3650 * kDay;
constexpr int kSerialBits = 127;
constexpr std::size_t kLongestTitle = 64;  // Of a common name.
constexpr std::size_t kLongestName = 253;  // Of a host.

template <auto function>
struct Frees {
  template <class T>
  void operator()(T* object) const {
    function(object);
  }
};
using OwnedKey = std::unique_ptr<EVP_PKEY, Frees<EVP_PKEY_free>>;
using OwnedCertificate = std::unique_ptr<X509, Frees<X509_free>>;
using OwnedBytes = std::unique_ptr<BIO, Frees<BIO_free_all>>;
using OwnedExtension = std::unique_ptr<X509_EXTENSION, Frees<X509_EXTENSION_free>>;
using OwnedNumber = std::unique_ptr<BIGNUM, Frees<BN_free>>;

tl::unexpected<Error> failed(const char* doing) {
  return failure(ErrorCode::kIo, fmt::format("{}: {}", doing, openssl_error()));
}

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

bool is_host(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._*").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, plain);
}

Result<std::string> alternative_names(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    const bool address = is_address(name);
    if (!address && !is_host(name)) {
      return failure(ErrorCode::kInvalid,
                     fmt::format("'{}' is neither the name of a host nor an address", name));
    }
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", address ? "IP" : "DNS", name);
  }
  return list;
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const OwnedExtension made(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return made && X509_add_ext(certificate, made.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  const OwnedNumber number(BN_new());
  return number && BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool fill_in(X509* certificate, EVP_PKEY* key, std::string title, const std::string& names) {
  title.resize(std::min(title.size(), kLongestTitle));
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(title.c_str());
  // From yesterday: the client's clock may be behind ours.
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kDay) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kTenYears) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         add_extension(certificate, NID_subject_alt_name, names) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

std::string text_of(BIO* bytes) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bytes, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Result<MadeCertificate> make_certificate(const std::vector<std::string>& names) {
  prepare_openssl();
  auto alternatives = alternative_names(names);
  if (!alternatives) return failure(alternatives.error());
  const OwnedKey key(EVP_EC_gen("P-256"));
  if (!key) return failed("make a key");
  const OwnedCertificate certificate(X509_new());
  if (!certificate || !fill_in(certificate.get(), key.get(), names.front(), *alternatives)) {
    return failed("make a certificate");
  }
  const OwnedBytes certificate_text(BIO_new(BIO_s_mem()));
  const OwnedBytes key_text(BIO_new(BIO_s_secmem()));
  if (!certificate_text || !key_text ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return failed("write the certificate");
  }
  return MadeCertificate{text_of(certificate_text.get()), text_of(key_text.get()),
                         fingerprint_of(certificate.get())};
}

std::string fingerprint_of(const x509_st* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (certificate == nullptr || X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) {
    return "";
  }
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest[i]);
  }
  return out;
}

std::vector<std::string> names_of(const x509_st* certificate) {
  std::vector<std::string> names;
  using OwnedNames = std::unique_ptr<GENERAL_NAMES, Frees<GENERAL_NAMES_free>>;
  const OwnedNames all(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* one = sk_GENERAL_NAME_value(all.get(), i);
    if (one->type != GEN_DNS && one->type != GEN_IPADD) continue;
    const ASN1_STRING* text = one->type == GEN_DNS ? one->d.dNSName : one->d.iPAddress;
    const unsigned char* bytes = ASN1_STRING_get0_data(text);
    const auto size = static_cast<std::size_t>(ASN1_STRING_length(text));
    if (one->type == GEN_DNS) {
      names.push_back(lower_case({reinterpret_cast<const char*>(bytes), size}));
      continue;
    }
    std::array<char, INET6_ADDRSTRLEN> out{};
    const bool four = size == sizeof(in_addr);
    if (!four && size != sizeof(in6_addr)) continue;
    if (::inet_ntop(four ? AF_INET : AF_INET6, bytes, out.data(), out.size()) != nullptr) {
      names.emplace_back(out.data());
    }
  }
  return names;
}

}  // namespace gpusched
