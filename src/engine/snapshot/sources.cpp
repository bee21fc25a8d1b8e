#include "engine/snapshot/sources.hpp"

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"

namespace mustcite::snapshot {
namespace {

template <typename Visit>
void each_line(const std::filesystem::path& file, const Visit& visit) {
  io::LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    try {
      visit(line);
    } catch (const Error& error) {
      fail(ErrorCode::corrupt, "{} line {}: {}; check the release with `mustcite release verify`", file.string(),
           lines.line_number(), error.what());
    }
  }
}

}  // namespace

void CatalogSource::each_paper(const std::function<void(const Paper&)>& visit) const { catalog_->each_paper(visit); }

void CatalogSource::each_citation(const std::function<void(const Citation&)>& visit) const {
  catalog_->each_citation(visit);
}

ReleaseSource::ReleaseSource(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (!std::filesystem::exists(folder_ / "manifest.json") || !std::filesystem::exists(folder_ / "corpus.jsonl")) {
    fail(ErrorCode::not_found, "{} is no release folder: build one with `mustcite release build`", folder_.string());
  }
}

void ReleaseSource::each_paper(const std::function<void(const Paper&)>& visit) const {
  each_line(folder_ / "corpus.jsonl", [&](std::string_view line) { visit(paper_from_json(line)); });
}

void ReleaseSource::each_citing_paper(const std::function<void(const Paper&)>& visit) const {
  each_line(folder_ / "evidence" / "papers.jsonl", [&](std::string_view line) { visit(paper_from_json(line)); });
}

void ReleaseSource::each_citation(const std::function<void(const Citation&)>& visit) const {
  each_line(folder_ / "evidence" / "citations.jsonl",
            [&](std::string_view line) { visit(citation_from_json(line)); });
}

}  // namespace mustcite::snapshot
