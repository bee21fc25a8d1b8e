#include "core/learn/crf.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/learn/chain.hpp"

namespace mustcite::learn {
namespace {

constexpr char kMagic[8] = {'M', 'C', 'C', 'R', 'F', '0', '0', '1'};
constexpr std::uint32_t kMostFeatures = 1U << 26;
constexpr std::uint32_t kMostNameBytes = 200;

struct Header {
  char magic[8];
  std::uint32_t labels;
  std::uint32_t features;
  std::uint64_t checksum;  ///< of everything behind the header
};
static_assert(sizeof(Header) == 24);

[[noreturn]] void damaged(const char* what) {
  fail(ErrorCode::corrupt, "reading a labelling model: {}; train it again or reinstall it", what);
}

template <typename T>
void append(std::string& out, const std::vector<T>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// Takes `count` values off the front.
template <typename T>
std::vector<T> take(std::string_view& bytes, std::size_t count) {
  if (bytes.size() / sizeof(T) < count) damaged("it is cut off");
  std::vector<T> values(count);
  std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return values;
}

std::uint64_t checksum_of(std::string_view bytes) {
  return checksum64(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

CrfModel::CrfModel(std::vector<std::string> labels, std::vector<std::uint32_t> keys,
                   const std::vector<float>& weights, std::vector<float> transitions,
                   std::vector<float> first)
    : labels_(std::move(labels)),
      keys_(std::move(keys)),
      transitions_(std::move(transitions)),
      first_(std::move(first)) {
  const std::size_t count = labels_.size();
  if (count == 0 || count > kMostLabels || weights.size() != keys_.size() * count ||
      transitions_.size() != count * count || first_.size() != count ||
      std::adjacent_find(keys_.begin(), keys_.end(), std::greater_equal<>()) != keys_.end()) {
    fail(ErrorCode::invalid_input, "making a labelling model: {} weights for {} features and {} labels",
         weights.size(), keys_.size(), count);
  }
  stride_ = (count + 15) / 16 * 16;
  scales_.resize(keys_.size());
  weights_.assign(keys_.size() * stride_, 0);
  for (std::size_t row = 0; row < keys_.size(); ++row) {
    const float* from = weights.data() + row * count;
    float most = 0;
    for (std::size_t y = 0; y < count; ++y) most = std::max(most, std::fabs(from[y]));
    if (!std::isfinite(most))
      fail(ErrorCode::invalid_input, "making a labelling model: a weight is not finite");
    scales_[row] = most / 127;
    if (most == 0) continue;
    for (std::size_t y = 0; y < count; ++y)
      weights_[row * stride_ + y] = static_cast<std::int8_t>(std::lround(from[y] / scales_[row]));
  }
  index();
}

void CrfModel::index() {
  table_.assign(std::bit_ceil(std::max<std::size_t>(16, keys_.size() * 2)), kNone);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t row = 0; row < keys_.size(); ++row) {
    std::size_t slot = (keys_[row] * 0x9E3779B1U) & mask;
    while (table_[slot] != kNone) slot = (slot + 1) & mask;
    table_[slot] = static_cast<std::uint32_t>(row);
  }
}

std::uint32_t CrfModel::row(std::uint32_t key) const noexcept {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = (key * 0x9E3779B1U) & mask; table_[slot] != kNone; slot = (slot + 1) & mask) {
    if (keys_[table_[slot]] == key) return table_[slot];
  }
  return kNone;
}

std::vector<float> CrfModel::emissions(const CrfSequence& sequence) const {
  const std::size_t count = labels_.size();
  std::vector<float> scores(sequence.size() * count);
  std::vector<float> sums(stride_);
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (const auto key : sequence.at(i)) {
      const std::uint32_t found = row(key);
      if (found == kNone) continue;
      const float scale = scales_[found];
      const std::int8_t* weights = weights_.data() + found * stride_;
      for (std::size_t y = 0; y < stride_; ++y) sums[y] += scale * static_cast<float>(weights[y]);
    }
    std::copy_n(sums.begin(), count, scores.begin() + static_cast<std::ptrdiff_t>(i * count));
  }
  return scores;
}

std::vector<std::uint8_t> CrfModel::best_path(std::span<const float> scores, std::size_t size) const {
  const std::size_t count = labels_.size();
  std::vector<std::uint8_t> path(size);
  if (size == 0) return path;
  std::vector<std::uint8_t> from(size * count);
  std::vector<float> best(count);
  std::vector<float> next(count);
  for (std::size_t y = 0; y < count; ++y) best[y] = first_[y] + scores[y];
  for (std::size_t i = 1; i < size; ++i) {
    std::fill(next.begin(), next.end(), -1e30F);
    std::uint8_t* back = from.data() + i * count;
    for (std::size_t p = 0; p < count; ++p) {
      const float* weights = transitions_.data() + p * count;
      for (std::size_t y = 0; y < count; ++y) {
        const float value = best[p] + weights[y];
        if (value > next[y]) {
          next[y] = value;
          back[y] = static_cast<std::uint8_t>(p);
        }
      }
    }
    for (std::size_t y = 0; y < count; ++y) next[y] += scores[i * count + y];
    best.swap(next);
  }
  path[size - 1] = static_cast<std::uint8_t>(std::max_element(best.begin(), best.end()) - best.begin());
  for (std::size_t i = size - 1; i > 0; --i) path[i - 1] = from[i * count + path[i]];
  return path;
}

std::vector<float> CrfModel::probabilities(std::vector<float> scores, std::size_t size) const {
  std::vector<float> transitions(transitions_.size());
  std::vector<float> first(first_.size());
  std::transform(transitions_.begin(), transitions_.end(), transitions.begin(),
                 [](float weight) { return std::exp(weight); });
  std::transform(first_.begin(), first_.end(), first.begin(), [](float weight) { return std::exp(weight); });
  Chain chain;
  chain.set_transitions(transitions, first, labels_.size());
  chain.run(scores, size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto node = chain.node(i);
    std::copy(node.begin(), node.end(), scores.begin() + static_cast<std::ptrdiff_t>(i * labels_.size()));
  }
  return scores;
}

std::vector<std::uint8_t> CrfModel::decode(const CrfSequence& sequence) const {
  return best_path(emissions(sequence), sequence.size());
}

std::vector<float> CrfModel::marginals(const CrfSequence& sequence) const {
  return probabilities(emissions(sequence), sequence.size());
}

CrfLabels CrfModel::label(const CrfSequence& sequence) const {
  CrfLabels result;
  auto scores = emissions(sequence);
  result.labels = best_path(scores, sequence.size());
  const auto marginal = probabilities(std::move(scores), sequence.size());
  for (std::size_t i = 0; i < sequence.size(); ++i)
    result.probabilities.push_back(marginal[i * labels_.size() + result.labels[i]]);
  return result;
}

double CrfModel::score(const CrfSequence& sequence, std::span<const std::uint8_t> labelling) const {
  const auto scores = emissions(sequence);
  double sum = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    sum += static_cast<double>(scores[i * labels_.size() + labelling[i]]);
    sum += static_cast<double>(i == 0 ? first_[labelling[0]]
                                      : transitions_[labelling[i - 1] * labels_.size() + labelling[i]]);
  }
  return sum;
}

std::string CrfModel::to_bytes() const {
  std::string body;
  for (const auto& label : labels_) {
    body += static_cast<char>(label.size());
    body += label;
  }
  append(body, keys_);
  append(body, scales_);
  for (std::size_t row = 0; row < keys_.size(); ++row)
    body.append(reinterpret_cast<const char*>(weights_.data() + row * stride_), labels_.size());
  append(body, transitions_);
  append(body, first_);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.labels = static_cast<std::uint32_t>(labels_.size());
  header.features = static_cast<std::uint32_t>(keys_.size());
  header.checksum = checksum_of(body);
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + body;
}

CrfModel CrfModel::from_bytes(std::string_view bytes) {
  Header header{};
  if (bytes.size() < sizeof(header)) damaged("it is cut off");
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes.remove_prefix(sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) damaged("it is of another kind or version");
  if (header.checksum != checksum_of(bytes)) damaged("its checksum is wrong");
  if (header.labels == 0 || header.labels > kMostLabels || header.features > kMostFeatures)
    damaged("its sizes are impossible");
  CrfModel model;
  for (std::uint32_t i = 0; i < header.labels; ++i) {
    const auto size = static_cast<std::uint8_t>(take<char>(bytes, 1)[0]);
    if (size > kMostNameBytes || size > bytes.size()) damaged("a label's name is cut off");
    model.labels_.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  const std::size_t count = header.labels;
  model.keys_ = take<std::uint32_t>(bytes, header.features);
  model.scales_ = take<float>(bytes, header.features);
  const auto rows = take<std::int8_t>(bytes, header.features * count);
  model.transitions_ = take<float>(bytes, count * count);
  model.first_ = take<float>(bytes, count);
  if (!bytes.empty()) damaged("something stands behind its end");
  if (std::adjacent_find(model.keys_.begin(), model.keys_.end(), std::greater_equal<>()) != model.keys_.end())
    damaged("its features are out of order");
  if (!all_finite(model.scales_) || !all_finite(model.transitions_) || !all_finite(model.first_))
    damaged("a weight is not finite");
  model.stride_ = (count + 15) / 16 * 16;
  model.weights_.assign(model.keys_.size() * model.stride_, 0);
  for (std::size_t row = 0; row < model.keys_.size(); ++row)
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * count), count,
                model.weights_.begin() + static_cast<std::ptrdiff_t>(row * model.stride_));
  model.index();
  return model;
}

}  // namespace mustcite::learn
