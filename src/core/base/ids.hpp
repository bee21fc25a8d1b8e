#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace mustcite {

/// A string id that cannot be mixed up with ids of another kind.
template <typename Tag>
class StringId {
 public:
  StringId() = default;
  explicit StringId(std::string value) : value_(std::move(value)) {}

  [[nodiscard]] const std::string& str() const noexcept { return value_; }
  [[nodiscard]] bool empty() const noexcept { return value_.empty(); }
  auto operator<=>(const StringId&) const = default;

 private:
  std::string value_;
};

/// A paper of the catalog: what users, runs and qrels call it.
using PaperId = StringId<struct PaperTag>;
/// A query of a release or of a query file.
using QueryId = StringId<struct QueryTag>;

/// The row of a document in one snapshot. Rows are chronological: see engine/snapshot.
struct DocId {
  std::uint32_t value = 0;
  auto operator<=>(const DocId&) const = default;
};

}  // namespace mustcite

template <typename Tag>
struct std::hash<mustcite::StringId<Tag>> {
  std::size_t operator()(const mustcite::StringId<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.str());
  }
};

template <>
struct std::hash<mustcite::DocId> {
  std::size_t operator()(mustcite::DocId id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
