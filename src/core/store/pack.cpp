#include "core/store/pack.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/schema/jsonl.hpp"
#include "core/store/pack_format.hpp"

namespace mustcite::store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBatchRecords = 20000;
constexpr int kLowestLevel = 1;
constexpr int kHighestLevel = 19;

/// The file beside the final one; removed unless it was put there. What a killed process left is written
/// over, and two processes never write the same one.
class Beside {
 public:
  explicit Beside(fs::path final_path)
      : final_(std::move(final_path)),
        path_(final_.parent_path() / fmt::format(".{}.packing", final_.filename().string())),
        lock_(path_) {}
  ~Beside() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  void publish() {
    if (::rename(path_.c_str(), final_.c_str()) != 0) {
      fail(ErrorCode::unavailable, "cannot write {}: {}", final_.string(), std::strerror(errno));
    }
  }

 private:
  fs::path final_;
  fs::path path_;
  io::FileLock lock_;
};

/// Commits every so many records, so that an interrupted installation keeps what it did.
class Installer {
 public:
  Installer(Catalog& catalog, InstallReport& report, Progress& progress)
      : catalog_(catalog), report_(report), progress_(progress) {
    batch_.emplace(catalog_);
  }

  template <typename Record>
  void put(const Record& record) {
    switch (catalog_.put(record)) {
      case Outcome::added:
        ++report_.added;
        break;
      case Outcome::updated:
        ++report_.updated;
        break;
      case Outcome::unchanged:
        ++report_.unchanged;
        break;
    }
    progress_.advance(1);
    if (++in_batch_ < kBatchRecords) return;
    batch_->commit();
    batch_.reset();
    in_batch_ = 0;
    stop_if_interrupted();
    batch_.emplace(catalog_);
  }

  void finish() {
    catalog_.set_fact("pack", report_.info.name + " sha256:" + report_.info.sha256);
    batch_->commit();
  }

 private:
  Catalog& catalog_;
  InstallReport& report_;
  Progress& progress_;
  std::optional<Catalog::Batch> batch_;
  std::uint64_t in_batch_ = 0;
};

}  // namespace

PackInfo pack(const Catalog& catalog, const fs::path& out, const PackOptions& options, Progress& progress) {
  if (options.level < kLowestLevel || options.level > kHighestLevel) {
    fail(ErrorCode::usage, "the compression level of a pack is {} to {}, not {}", kLowestLevel, kHighestLevel,
         options.level);
  }
  const Catalog::Reading one_state(catalog);
  const CatalogCounts counts = catalog.counts();
  progress.begin("pack", counts.papers + counts.citations + counts.labels);
  Beside beside(out);
  PackInfo info;
  info.name = options.name;
  PackWriter writer(beside.path(), options.level);
  catalog.each_paper([&](const Paper& paper) {
    stop_if_interrupted();
    if (options.with_abstracts || paper.abstract.empty()) {
      writer.line(to_json_line(paper));
    } else {
      Paper bare = paper;
      bare.abstract.clear();
      writer.line(to_json_line(bare));
    }
    ++info.papers;
    progress.advance(1);
  });
  catalog.each_citation([&](const Citation& citation) {
    stop_if_interrupted();
    Citation packed = citation;
    if (!options.with_contexts) packed.contexts.clear();
    writer.line(to_json_line(packed));
    info.contexts += packed.contexts.size();
    ++info.citations;
    progress.advance(1);
  });
  catalog.each_label([&](const Label& label) {
    writer.line(label_to_json(label));
    ++info.labels;
    progress.advance(1);
  });
  writer.finish(info);
  beside.publish();
  progress.finish();
  return info;
}

PackInfo inspect_pack(const fs::path& file) {
  return PackReader(file).info();
}

InstallReport install_pack(const fs::path& file, Catalog& catalog, Progress& progress) {
  PackReader reader(file);
  reader.verify(progress);
  InstallReport report;
  report.info = reader.info();
  progress.begin("install", report.info.papers + report.info.citations + report.info.labels);
  try {
    Installer installer(catalog, report, progress);
    for (std::uint64_t i = 0; i < report.info.papers; ++i) installer.put(paper_from_json(reader.line()));
    for (std::uint64_t i = 0; i < report.info.citations; ++i)
      installer.put(citation_from_json(reader.line()));
    for (std::uint64_t i = 0; i < report.info.labels; ++i) installer.put(label_from_json(reader.line()));
    reader.expect_end();
    installer.finish();
  } catch (const Error& error) {
    // Its checksum is right, so it was made like this: no pack of ours.
    if (error.code() != ErrorCode::invalid_input) throw;
    fail(ErrorCode::corrupt, "{} holds a record that cannot be read ({}); ask its maker for a sound one",
         file.string(), error.what());
  }
  progress.finish();
  return report;
}

}  // namespace mustcite::store
