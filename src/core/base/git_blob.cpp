#include "core/base/git_blob.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

namespace mustcite {

std::string git_blob_id(std::string_view bytes) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> md(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const std::string head = fmt::format("blob {}", bytes.size());
  EVP_DigestInit_ex(md.get(), EVP_sha1(), nullptr);
  EVP_DigestUpdate(md.get(), head.c_str(), head.size() + 1);  // with the zero at its end
  EVP_DigestUpdate(md.get(), bytes.data(), bytes.size());
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_DigestFinal_ex(md.get(), digest.data(), &length);
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace mustcite
