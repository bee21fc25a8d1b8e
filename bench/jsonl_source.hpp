#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "core/text/normalise.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::bench {

/// Papers of a JSONL file, as they are: for measurements without a catalog. Lines that cannot be read are counted.
class JsonlSource final : public snapshot::Source {
 public:
  explicit JsonlSource(std::filesystem::path papers) : papers_(std::move(papers)) {}

  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    io::LineReader lines(papers_);
    std::string_view line;
    while (lines.next(line)) {
      try {
        visit(paper_from_json(line));
      } catch (const Error&) {
        ++unreadable_;
      }
    }
  }
  void each_citation(const std::function<void(const Citation&)>&) const override {}

  [[nodiscard]] std::uint64_t unreadable() const noexcept { return unreadable_; }

 private:
  std::filesystem::path papers_;
  mutable std::uint64_t unreadable_ = 0;
};

}  // namespace mustcite::bench
