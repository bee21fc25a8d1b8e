#include "core/store/text_codec.hpp"

#include <zstd.h>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"

namespace mustcite::store {
namespace {

using nlohmann::json;

constexpr int kLevel = 3;
// Import refuses absurd sizes long before; this bounds what a damaged frame can ask for.
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 28;

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

[[noreturn]] void damaged(const char* what) {
  fail(ErrorCode::corrupt, "the catalog holds {} that cannot be read; restore it from a pack or a copy",
       what);
}

}  // namespace

struct TextCodec::Contexts {
  ZSTD_CCtx* compressor = ZSTD_createCCtx();
  ZSTD_DCtx* decompressor = ZSTD_createDCtx();
  ~Contexts() {
    ZSTD_freeCCtx(compressor);
    ZSTD_freeDCtx(decompressor);
  }
};

TextCodec::TextCodec() : contexts_(std::make_unique<Contexts>()) {}
TextCodec::~TextCodec() = default;

std::string_view TextCodec::compress(std::string_view text) {
  if (text.size() < kCompressFromBytes) return {};
  buffer_.resize(ZSTD_compressBound(text.size()));
  const std::size_t size = ZSTD_compressCCtx(contexts_->compressor, buffer_.data(), buffer_.size(),
                                             text.data(), text.size(), kLevel);
  if (ZSTD_isError(size) != 0)
    fail(ErrorCode::internal, "cannot compress a text: {}", ZSTD_getErrorName(size));
  return size < text.size() ? std::string_view(buffer_).substr(0, size) : std::string_view{};
}

std::string TextCodec::restore(std::string_view frame) {
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMaxTextBytes)
    damaged("a text");
  std::string text(size, '\0');
  const std::size_t got =
      ZSTD_decompressDCtx(contexts_->decompressor, text.data(), text.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != size) damaged("a text");
  return text;
}

std::string encode_names(const std::vector<std::string>& names) {
  return names.empty() ? std::string{} : dump(json(names));
}

std::vector<std::string> decode_names(std::string_view text) {
  if (text.empty()) return {};
  const json value = json::parse(text, nullptr, false);
  if (!value.is_array()) damaged("a list of authors");
  std::vector<std::string> names;
  names.reserve(value.size());
  for (const auto& name : value) {
    if (!name.is_string()) damaged("a list of authors");
    names.push_back(name.get<std::string>());
  }
  return names;
}

std::string encode_contexts(const std::vector<CitationContext>& contexts) {
  if (contexts.empty()) return {};
  json value = json::array();
  for (const auto& context : contexts) value.push_back(json::array({context.section, context.text}));
  return dump(value);
}

std::vector<CitationContext> decode_contexts(std::string_view text) {
  if (text.empty()) return {};
  const json value = json::parse(text, nullptr, false);
  if (!value.is_array()) damaged("a citation context");
  std::vector<CitationContext> contexts;
  contexts.reserve(value.size());
  for (const auto& pair : value) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) {
      damaged("a citation context");
    }
    contexts.push_back({pair[0].get<std::string>(), pair[1].get<std::string>()});
  }
  return contexts;
}

}  // namespace mustcite::store
