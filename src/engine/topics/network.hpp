#pragma once

#include "engine/topics/layers.hpp"
#include "engine/topics/options.hpp"

namespace mustcite::topics {

struct Shape {
  std::int64_t features = 0;  ///< numbers of a text's vector
  std::int64_t width = 128;
  std::int64_t topic_width = 48;
  std::int64_t topics = 0;
  std::int64_t relations = 1;  ///< both directions counted
};

/// What is learnt. A paper with the text vector x has a content vector c = Wc x + bc, and is placed in the
/// citation network from its text alone by g = W2 relu(W1 x + b1) + b2. Papers are compared by z, the unit
/// vector of c + g. Training draws g towards s, what a graph convolution makes of the content of its
/// neighbours in the citation network.
///
/// Topics have vectors e = E + A relu(A E V1) V2: A is the topic graph's normalised adjacency, E a projection
/// of the vectors of the topics' names plus a vector learnt for each topic. A path of topics is read by a
/// recurrent unit from e and a vector of each relation; a linear layer makes a value of its last state.
class Network {
 public:
  /// `names` [topics, features]: text vectors of the topics' names, kept as they are; undefined:
  /// `load_weights` brings them.
  Network(const Shape& shape, std::uint64_t seed, const at::Tensor& names);

  [[nodiscard]] at::Tensor content(const at::Tensor& x) const;
  [[nodiscard]] at::Tensor placed(const at::Tensor& x) const;
  /// Unit vectors z, [papers, width]. `dropout` acts on x.
  [[nodiscard]] at::Tensor papers(const at::Tensor& x, double dropout = 0) const;
  /// s from the mean content of a paper and its neighbours, [papers, width].
  [[nodiscard]] at::Tensor structure(const at::Tensor& mean_content) const;

  [[nodiscard]] at::Tensor topics(const Edges& edges) const;
  /// One value for each end of the plan.
  [[nodiscard]] at::Tensor path_values(const PathPlan& plan, const at::Tensor& topic_vectors) const;

  /// exp(gamma) * cosines + lambda * reasoning + beta.
  [[nodiscard]] at::Tensor logits(const at::Tensor& cosines, const at::Tensor& reasoning) const;
  /// The factors of cosine and reasoning: what answering needs of them, since beta moves all alike.
  [[nodiscard]] double cosine_factor() const;
  [[nodiscard]] double reasoning_factor() const;

  [[nodiscard]] neural::Parameters& parameters() noexcept { return parameters_; }
  [[nodiscard]] const neural::Parameters& parameters() const noexcept { return parameters_; }

 private:
  neural::Parameters parameters_;
  neural::Linear content_;
  neural::Linear place_in_, place_out_;
  neural::Linear structure_;
  at::Tensor names_;
  neural::Linear name_;
  at::Tensor own_;  ///< [topics, topic_width]
  neural::Linear convolve_in_, convolve_out_;
  at::Tensor relations_;  ///< [relations + 1, topic_width]
  Gru gru_;
  neural::Linear value_;
  at::Tensor gamma_, lambda_, beta_;
};

/// sum over topics t of the query and u of the document of w(t) w(u) value(t, u), [queries, documents].
/// `queries` [queries, sources] and `documents` [documents, targets] hold the weights w; `plan` is of these
/// sources and targets (ascending), `values` belong to its ends. Pairs without a path add nothing.
[[nodiscard]] at::Tensor reason(const at::Tensor& queries, const at::Tensor& documents, const PathPlan& plan,
                                std::span<const std::uint32_t> targets, const at::Tensor& values);

/// Values by source and target, [sources, targets]; 0 where no path leads.
[[nodiscard]] at::Tensor value_table(std::size_t sources, const PathPlan& plan,
                                     std::span<const std::uint32_t> targets, const at::Tensor& values);

}  // namespace mustcite::topics
