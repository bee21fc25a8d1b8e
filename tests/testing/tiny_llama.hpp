#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace mustcite::testing {

/// Writes a language model of one layer as GGUF (version 3, Llama architecture, 32-bit floats), for servers
/// that read such files. Its weights are random but for this: after any text it says `0` or `1`, whichever
/// its attention over the whole prompt leans to, and after a digit it ends. So a real engine tokenises,
/// evaluates and samples for real.
class TinyLlama {
 public:
  static void write(const std::filesystem::path& file, unsigned seed) { TinyLlama(file, seed).run(); }

 private:
  static constexpr std::uint32_t kWidth = 32;
  static constexpr std::uint32_t kHidden = 64;
  static constexpr std::uint32_t kHeads = 2;
  static constexpr std::uint32_t kEnd = 2;
  enum Kind : std::uint32_t { u32 = 4, f32 = 6, text = 8, list = 9 };

  struct Token {
    std::string text;
    std::int32_t kind;
  };
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> shape;  ///< the fastest first
    std::vector<float> values;
  };

  TinyLlama(const std::filesystem::path& file, unsigned seed) : out_(file, std::ios::binary), random_(seed) {
    constexpr std::int32_t kNormal = 1, kUnknown = 2, kControl = 3, kByte = 6;
    tokens_ = {{"<unk>", kUnknown}, {"<s>", kControl}, {"</s>", kControl}};
    const char* digits = "0123456789ABCDEF";
    for (int byte = 0; byte < 256; ++byte)
      tokens_.push_back({std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">", kByte});
    zero_ = static_cast<std::uint32_t>(tokens_.size());
    for (int digit = 0; digit < 10; ++digit) tokens_.push_back({std::to_string(digit), kNormal});
    for (char letter = 'a'; letter <= 'z'; ++letter) tokens_.push_back({std::string(1, letter), kNormal});
    tokens_.push_back({"\xE2\x96\x81", kNormal});  // a space, as SentencePiece writes it
  }

  void run() {
    const auto tensors = make_tensors();
    out_ << "GGUF";
    put<std::uint32_t>(3);
    put<std::uint64_t>(tensors.size());
    put<std::uint64_t>(17);
    put_facts();
    std::uint64_t offset = 0;
    for (const auto& tensor : tensors) {
      put(tensor.name);
      put(static_cast<std::uint32_t>(tensor.shape.size()));
      for (const auto size : tensor.shape) put(size);
      put<std::uint32_t>(0);  // 32-bit floats
      put(offset);
      offset += aligned(tensor.values.size() * sizeof(float));
    }
    pad();
    for (const auto& tensor : tensors) {
      out_.write(reinterpret_cast<const char*>(tensor.values.data()),
                 static_cast<std::streamsize>(tensor.values.size() * sizeof(float)));
      pad();
    }
  }

  void put_facts() {
    fact("general.architecture", "llama");
    fact("general.name", "tiny random model");
    fact("llama.context_length", 16384U);
    fact("llama.embedding_length", kWidth);
    fact("llama.block_count", 1U);
    fact("llama.feed_forward_length", kHidden);
    fact("llama.attention.head_count", kHeads);
    fact("llama.rope.dimension_count", kWidth / kHeads);
    key("llama.attention.layer_norm_rms_epsilon", f32);
    put(1e-5F);
    fact("general.file_type", 0U);
    fact("tokenizer.ggml.model", "llama");
    fact("tokenizer.ggml.bos_token_id", 1U);
    fact("tokenizer.ggml.eos_token_id", kEnd);
    fact("tokenizer.ggml.unknown_token_id", 0U);
    key("tokenizer.ggml.tokens", list);
    put<std::uint32_t>(text);
    put<std::uint64_t>(tokens_.size());
    for (const auto& token : tokens_) put(token.text);
    key("tokenizer.ggml.scores", list);
    put<std::uint32_t>(f32);
    put<std::uint64_t>(tokens_.size());
    for (std::size_t i = 0; i < tokens_.size(); ++i) put(-static_cast<float>(i));
    key("tokenizer.ggml.token_type", list);
    put<std::uint32_t>(5);  // 32-bit integers
    put<std::uint64_t>(tokens_.size());
    for (const auto& token : tokens_) put(token.kind);
  }

  std::vector<Tensor> make_tensors() {
    const auto words = static_cast<std::uint64_t>(tokens_.size());
    Tensor embedding = drawn("token_embd.weight", {kWidth, words}, 1.0F);
    Tensor output{"output.weight", {kWidth, words}, std::vector<float>(kWidth * words, 0.0F)};
    std::normal_distribution<float> normal;
    for (std::uint32_t i = 0; i + 1 < kWidth; ++i) {
      const float lean = normal(random_);
      output.values[zero_ * kWidth + i] = lean;
      output.values[(zero_ + 1) * kWidth + i] = -lean;
    }
    // The last dimension says "this is a digit" and nothing else writes to it: the end follows.
    for (std::uint64_t word = 0; word < words; ++word)
      embedding.values[word * kWidth + kWidth - 1] = word >= zero_ && word < zero_ + 10 ? 4.0F : 0.0F;
    output.values[kEnd * kWidth + kWidth - 1] = 1000;
    Tensor attention = drawn("blk.0.attn_output.weight", {kWidth, kWidth}, 1.5F);
    Tensor down = drawn("blk.0.ffn_down.weight", {kHidden, kWidth}, 0.3F);
    std::fill(attention.values.end() - kWidth, attention.values.end(), 0.0F);
    std::fill(down.values.end() - kHidden, down.values.end(), 0.0F);
    return {embedding,
            {"output_norm.weight", {kWidth}, std::vector<float>(kWidth, 1.0F)},
            output,
            {"blk.0.attn_norm.weight", {kWidth}, std::vector<float>(kWidth, 1.0F)},
            drawn("blk.0.attn_q.weight", {kWidth, kWidth}, 0.5F),
            drawn("blk.0.attn_k.weight", {kWidth, kWidth}, 0.5F),
            drawn("blk.0.attn_v.weight", {kWidth, kWidth}, 1.0F),
            attention,
            {"blk.0.ffn_norm.weight", {kWidth}, std::vector<float>(kWidth, 1.0F)},
            drawn("blk.0.ffn_gate.weight", {kWidth, kHidden}, 0.3F),
            drawn("blk.0.ffn_up.weight", {kWidth, kHidden}, 0.3F),
            down};
  }

  Tensor drawn(std::string name, std::vector<std::uint64_t> shape, float spread) {
    std::normal_distribution<float> normal(0, spread);
    std::uint64_t size = 1;
    for (const auto length : shape) size *= length;
    Tensor tensor{std::move(name), std::move(shape), std::vector<float>(size)};
    for (auto& value : tensor.values) value = normal(random_);
    return tensor;
  }

  template <typename Number>
  void put(Number number) {
    out_.write(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  void put(const std::string& words) {
    put<std::uint64_t>(words.size());
    out_ << words;
  }
  void key(const std::string& name, std::uint32_t kind) {
    put(name);
    put(kind);
  }
  void fact(const std::string& name, std::uint32_t value) {
    key(name, u32);
    put(value);
  }
  void fact(const std::string& name, const char* value) {
    key(name, text);
    put(std::string(value));
  }
  static std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 31) / 32 * 32; }
  void pad() {
    while (out_.tellp() % 32 != 0) out_.put('\0');
  }

  std::ofstream out_;
  std::mt19937 random_;
  std::vector<Token> tokens_;
  std::uint32_t zero_ = 0;
};

}  // namespace mustcite::testing
