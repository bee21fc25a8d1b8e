#include "engine/rank/lsi.hpp"

#include <cmath>
#include <optional>

#include "core/base/error.hpp"
#include "engine/rank/lsi_format.hpp"
#include "engine/rank/signs.hpp"
#include "engine/snapshot/section_file.hpp"

namespace mustcite::rank {

void normalise(std::span<float> vector) {
  double sum = 0;
  for (const float value : vector) sum += double{value} * value;
  if (sum <= 0) return;
  const auto factor = static_cast<float>(1 / std::sqrt(sum));
  for (float& value : vector) value *= factor;
}

std::vector<float> LsiBasis::fold_in(std::span<const index::QueryTerm> terms) const {
  std::vector<float> sum(vectors.dims, 0.0F);
  for (const index::QueryTerm& term : terms) {
    if (term.term >= rows.size() || rows[term.term] == kNoRow || !(term.weight > 0)) continue;
    const std::uint32_t row = rows[term.term];
    vectors.add_to(row, (1.0F + std::log(term.weight)) * idf[row], sum);
  }
  normalise(sum);
  return sum;
}

struct Lsi::Impl {
  Impl(const std::filesystem::path& path, const std::string& digest) : file(path, kLsiKind) {
    const auto heads = file.section<LsiHead>("head");
    file.expect(heads.size() == 1, "its head is missing");
    head = heads[0];
    file.expect(file.text("digest") == digest, "it belongs to another snapshot");
    file.expect(head.dims % 64 == 0 && head.dims <= 512, "its vectors have a wrong size");
    basis.rows = file.section<std::uint32_t>("termrow");
    basis.idf = file.section<float>("idf");
    basis.vectors = rows("basis", basis.idf.size());
    for (const std::uint32_t row : basis.rows) {
      file.expect(row == LsiBasis::kNoRow || row < basis.idf.size(), "a term has a wrong row");
    }
    documents = rows("docs", head.span.documents);
    signs = file.section<std::uint64_t>("docsigns");
    file.expect(signs.size() == sign_words(head.span.documents, head.dims), "its signs have a wrong number");
    citing = rows("citing", head.span.citing);
  }

  QuantisedRows rows(const std::string& name, std::size_t expected) const {
    const QuantisedRows result{head.dims, file.section<std::int8_t>(name + "v"),
                               file.section<float>(name + "s"), file.section<std::int32_t>(name + "n")};
    file.expect(result.rows() == expected && result.sums.size() == expected &&
                    result.values.size() == expected * head.dims,
                "its vectors have a wrong number");
    return result;
  }

  snapshot::SectionFile file;
  LsiHead head;
  LsiBasis basis;
  QuantisedRows documents;
  std::span<const std::uint64_t> signs;  ///< of the documents
  QuantisedRows citing;
};

Lsi::Lsi(const std::filesystem::path& file, const std::string& digest)
    : impl_(std::make_unique<Impl>(file, digest)) {}
Lsi::~Lsi() = default;
Lsi::Lsi(Lsi&&) noexcept = default;
Lsi& Lsi::operator=(Lsi&&) noexcept = default;

const LsiSpan& Lsi::span() const noexcept {
  return impl_->head.span;
}
std::uint32_t Lsi::dims() const noexcept {
  return impl_->head.dims;
}
QuantisedRows Lsi::documents() const noexcept {
  return impl_->documents;
}
QuantisedRows Lsi::citing() const noexcept {
  return impl_->citing;
}
std::vector<index::Scored> Lsi::nearest(const QuantisedVector& vector, std::size_t prefix, std::size_t depth,
                                        std::span<const DocId> exclude) const {
  return nearest_by_signs(impl_->documents, impl_->signs, vector, prefix, depth, exclude);
}
std::vector<float> Lsi::fold_in(std::span<const index::QueryTerm> terms) const {
  return impl_->basis.fold_in(terms);
}

}  // namespace mustcite::rank
