#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mustcite::collect {

/// Where a paper of the catalog comes from: what its site said beyond what the catalog keeps.
struct Provenance {
  std::string id;  ///< of the catalog
  std::string venue;
  int year = 0;
  std::string official_id;
  std::string track;
  bool main = true;
  std::string reason;  ///< why it is main, or excluded
  std::string printed_title;
  std::string page_url;
  std::string pdf_url;
  std::string openreview_id;
  std::string source;        ///< name of the layout
  std::string collected_at;  ///< UTC
  bool has_abstract = false;
  std::string details;  ///< "ok", "none" (the list says all), else what went wrong
};

/// A PDF that lies in the workspace, or why it does not.
struct PdfState {
  std::string sha256;
  std::uint64_t bytes = 0;
  std::uint64_t pages = 0;
  std::string problem;
};

/// How an edition ended, the last time it was collected.
struct EditionState {
  std::string venue;
  int year = 0;
  std::string source;
  std::string status;  ///< "done", "incomplete", "needs login", "layout changed", "unavailable"
  std::string problem;
  std::size_t listed = 0;
  std::optional<std::size_t> stated;
  std::size_t main = 0;
  std::size_t excluded = 0;
  std::size_t details_failed = 0;
  std::string finished_at;
};

/// What one venue and year holds, for the coverage table.
struct Coverage {
  std::string venue;
  int year = 0;
  std::size_t papers = 0;  ///< main
  std::size_t abstracts = 0;
  std::size_t pdf_links = 0;
  std::size_t pdfs = 0;
  std::size_t excluded = 0;
};

/// `collect.sqlite` of the workspace. Written in transactions with the catalog's batches; one writer.
class Ledger {
 public:
  explicit Ledger(const std::filesystem::path& file);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  void begin();
  void commit();
  void put(const Provenance& paper);
  void put(const EditionState& edition);
  void put_pdf(const std::string& id, const PdfState& state);
  /// Forgets the papers of an edition: it is written anew.
  void clear(const std::string& venue, int year);

  [[nodiscard]] std::vector<Coverage> coverage() const;
  [[nodiscard]] std::vector<EditionState> editions() const;
  [[nodiscard]] std::optional<PdfState> pdf(const std::string& id) const;
  /// In ascending order of ids; venue empty: all.
  void each(const std::string& venue, int year, const std::function<void(const Provenance&)>& visit) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::collect
