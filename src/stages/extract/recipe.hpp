#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.hpp"
#include "stages/extract/extract.hpp"
#include "stages/extract/nougat/nougat_command.hpp"
#include "stages/extract/tei/grobid_client.hpp"

/// Which reader reads this paper, and why not the others?
namespace mustcite::extract {

/// The files of one paper. Empty paths: not at hand.
struct PaperFiles {
  std::string name;  ///< file name without folders and endings
  std::filesystem::path pdf;
  std::filesystem::path tei;     ///< .tei.xml
  std::filesystem::path nougat;  ///< .mmd
};

/// Files with the same stem are one paper: "a.pdf", "a.mmd" and "a.tei.xml" (also "a.grobid.tei.xml"),
/// whatever their folders. In the order in which the papers come first. Throws invalid_input for two files of
/// one kind with one stem; a file of any other ending is taken for a PDF.
[[nodiscard]] std::vector<PaperFiles> group_files(const std::vector<std::filesystem::path>& files);

/// `default`: native, grobid, nougat. `published`: nougat, grobid, as in the paper. A single reader's name is
/// a recipe of its own. Throws usage for other names.
[[nodiscard]] std::vector<Reader> parse_recipe(const std::string& name);

/// What a reader's document is worth. A faulty one (pages lost, repetition, hardly cited) is used when no
/// reader has a good one; a failed one is not.
enum class Verdict { good, faulty, failed, no_source };
/// `good`, `faulty`, `failed`, `no source`.
[[nodiscard]] const char* verdict_name(Verdict verdict) noexcept;

struct Attempt {
  Reader reader = Reader::native;
  Verdict verdict = Verdict::good;
  std::string reason;   ///< kind of problem or of error: "alpha-tag-mismatch", "unavailable"; empty when good
  std::string message;  ///< one line
};

/// What became of a paper.
struct Outcome {
  std::string name;
  bool usable = false;
  /// The document that is used; when none is usable the first one that was read, to look at; or nothing.
  std::optional<Document> document;
  std::vector<Attempt> attempts;  ///< in the order tried
};

/// Judges a document by its problems. The attempt names the worst one.
[[nodiscard]] Attempt judge(const Document& document);

struct RecipeOptions {
  std::vector<Reader> readers{Reader::native, Reader::grobid, Reader::nougat};
  Options reading;
  /// Reads PDFs whose TEI is not at hand; nothing: they have no GROBID source.
  std::optional<GrobidOptions> grobid;
  /// Makes the markup of PDFs that have none; nothing: they have no Nougat source.
  std::optional<NougatOptions> nougat;
  /// Papers read before the next ones are begun: bounds memory, and the files of one run of `nougat`.
  std::size_t block = 128;
};

/// by_reader + unusable == papers, always.
struct Coverage {
  std::size_t papers = 0;
  std::size_t unusable = 0;
  std::size_t faulty = 0;  ///< among the used ones
  std::map<Reader, std::size_t> by_reader;
  std::map<std::pair<Reader, std::string>, std::size_t> failures;  ///< attempts by reader and reason
  std::size_t pages = 0, references = 0, mentions = 0;             ///< of the used documents
  WorkerCounts workers;
  std::vector<Rejected> ledger;  ///< unusable papers, with the reasons of all readers

  void add(const Outcome& outcome);
};

/// Reads every paper with the first reader of the recipe whose document is good, and hands the outcomes to
/// `visit` in the order given. Throws unavailable before anything is read when the GROBID service does not
/// answer; `interrupted` when the user asks to stop.
Coverage read_papers(const std::vector<PaperFiles>& papers, const RecipeOptions& options,
                     const std::function<void(Outcome&&)>& visit, Progress& progress);

/// Two tables for people: papers by reader with their share, failed attempts by reader and reason.
[[nodiscard]] std::string coverage_table(const Coverage& coverage);

}  // namespace mustcite::extract
