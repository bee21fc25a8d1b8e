#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::learn {

/// A sum of regression trees in flat arrays: answers many rows per microsecond without the library that
/// trained it. Follows XGBoost: float32 thresholds, a row goes left when its value is below the threshold, a
/// missing value (NaN) takes the default side of the node. Immutable and thread-safe.
class Trees {
 public:
  /// What `predict` does with the sum.
  enum class Link : std::uint32_t {
    identity = 0,  ///< regression and ranking objectives
    logistic = 1   ///< 1 / (1 + exp(-sum))
  };

  /// An empty sum: every margin is 0.
  Trees() = default;
  /// Reads a model that XGBoost wrote as JSON. Throws corrupt for anything that is no ensemble of scalar
  /// trees.
  static Trees from_xgboost_json(std::string_view json);
  /// Our own compact form, see `to_bytes`. Throws corrupt for damage: every index is checked, so that a model
  /// file from anywhere can be opened.
  static Trees from_bytes(std::string_view bytes);
  /// Little-endian, with a checksum over everything before it.
  [[nodiscard]] std::string to_bytes() const;

  [[nodiscard]] std::size_t trees() const noexcept { return roots_.size(); }
  [[nodiscard]] std::size_t nodes() const noexcept { return nodes_.size(); }
  /// Columns a row must have.
  [[nodiscard]] std::size_t features() const noexcept { return features_; }
  [[nodiscard]] Link link() const noexcept { return link_; }

  /// Base value plus the leaves of all trees; `row` has at least `features()` values.
  [[nodiscard]] float margin(std::span<const float> row) const;
  /// Margins of `out.size()` rows of `stride` values each. Same numbers as `margin`, several times faster.
  void margins(std::span<const float> rows, std::size_t stride, std::span<float> out) const;
  /// `margin` after the link function.
  [[nodiscard]] float predict(std::span<const float> row) const;

  /// What each feature adds to the margin on the row's way through the trees (Saabas: the change of the
  /// node's mean at each split goes to the feature of the split). Returns the bias: bias + sum of `out` =
  /// margin. `out` has `features()` values.
  float contributions(std::span<const float> row, std::span<float> out) const;

 private:
  struct Node {
    float value = 0;            ///< threshold, or the leaf's weight
    float mean = 0;             ///< cover-weighted mean of the leaves below: for contributions
    std::uint32_t feature = 0;  ///< top bit: a missing value goes left
    std::uint32_t child = 0;    ///< left child; the right one follows it. A leaf's child is the leaf itself.
  };
  static constexpr std::uint32_t kMissingLeft = 0x80000000U;

  void add_tree(std::vector<Node> nodes);
  void check() const;
  [[nodiscard]] static std::uint32_t depth_of(std::span<const Node> nodes, std::uint32_t root);
  void finish();

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> depths_;  ///< longest way of each tree
  std::size_t features_ = 0;
  float base_ = 0;
  Link link_ = Link::identity;

  friend class XgboostReader;
};

}  // namespace mustcite::learn
