#pragma once

#include <cstddef>
#include <cstdint>

/// The inner loops of the packed encoder on processors with AMX tiles and AVX-512: bfloat16 products with
/// float32 sums. Plain pointers only: this file's functions are compiled for such a processor and must not be
/// called before `supported()` said yes and `Tiles` is alive in the calling thread.
///
/// Rows of activations come in multiples of 32; sizes of layers are multiples of 32. `stride` counts
/// elements.
namespace mustcite::neural::amx {

using bf16 = std::uint16_t;

inline constexpr std::size_t kBlock = 32;

/// The processor has AMX-BF16 and AVX-512 (BW, VL, BF16), the system lets this process use the tiles, and
/// this program was compiled with them.
[[nodiscard]] bool supported() noexcept;

/// The tile registers of the calling thread, set up for 16 x 64 bytes each.
class Tiles {
 public:
  Tiles();
  ~Tiles();
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

enum class Epilogue { none, gelu, gelu_tanh, relu };

/// Reorders scale * weight [out, in] into tiles: `packed` has out * in elements.
void pack_weight(const float* weight, std::size_t out, std::size_t in, float scale, bf16* packed);

/// One linear layer.
struct Product {
  const bf16* packed = nullptr;
  const float* bias = nullptr;  ///< [out]
  std::size_t in = 0;
  std::size_t out = 0;
};

/// y = epilogue(a * weight^T + bias), as bfloat16; `kept`, where training gives it, gets what the epilogue
/// took, in rows as far apart as those of y.
void multiply(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows,
              Epilogue epilogue, bf16* y, std::size_t y_stride, bf16* kept = nullptr);

/// y += scale * (a * weight^T + bias), in float32.
void multiply_add(const Product& product, const bf16* a, std::size_t a_stride, std::size_t rows, float scale,
                  float* y, std::size_t y_stride);

struct NormWeights {
  const float* weight = nullptr;
  const float* bias = nullptr;
  float eps = 1e-12F;
};

/// What the backward pass needs of a norm: rows before weight and bias, and by what they were scaled.
struct KeptNorm {
  bf16* unit = nullptr;     ///< [rows, width], rows `stride` apart
  float* scales = nullptr;  ///< [rows]
};

/// Normalises each row of x in place and writes it as bfloat16 as well.
void normalise_rows(const NormWeights& norm, float* x, std::size_t rows, std::size_t width, bf16* rounded,
                    std::size_t stride, const KeptNorm& kept = {});

/// One row as bfloat16.
void round_row(const float* x, std::size_t width, bf16* rounded);

/// Room for one sequence of `time` tokens; see `attention_scratch`.
struct Scratch {
  bf16* keys = nullptr;
  bf16* values = nullptr;
  float* scores = nullptr;
  bf16* weights = nullptr;
};

/// Bytes of each part of a scratch for sequences of up to `time` tokens and heads `width` wide.
struct ScratchSizes {
  std::size_t keys, values, scores, weights;
};
[[nodiscard]] ScratchSizes attention_scratch(std::size_t time, std::size_t width) noexcept;

struct Attention {
  std::size_t time = 0;
  std::size_t heads = 0;
  std::size_t width = 0;   ///< of a head: 32 or 64
  std::size_t stride = 0;  ///< of the rows of `qkv`
};

/// Self-attention of one sequence. Rows of `qkv` hold query, key and value side by side; the query is scaled
/// by log2(e) / sqrt(width) already. 32 rows behind the sequence must be readable. Writes `time` rows.
/// `totals` [heads, time], where training gives it, gets the logarithm (of base 2) of each row's sum of
/// 2^score.
void attend(const Attention& shape, const bf16* qkv, const Scratch& scratch, bf16* context,
            std::size_t context_stride, float* totals = nullptr);

}  // namespace mustcite::neural::amx
