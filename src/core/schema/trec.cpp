#include "core/schema/trec.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <system_error>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite {
namespace {

/// Columns are separated by spaces, so an id with one inside cannot be written.
void check_column(const std::string& id, const char* what) {
  if (id.empty() || id.find_first_of(" \t\n\r\v\f") != std::string::npos) {
    fail(ErrorCode::invalid_input,
         "writing a TREC file: {} id '{}' is empty or contains white space; give it an id without", what,
         id.substr(0, 80));
  }
}

/// Streams into a file beside `path` and renames it when all is written.
void write_atomically(const std::filesystem::path& path, const std::function<void(io::FileWriter&)>& fill) {
  std::filesystem::path partial = path;
  partial += fmt::format(".partial-{}", ::getpid());
  try {
    io::FileWriter writer(partial);
    fill(writer);
    writer.close();
    std::filesystem::rename(partial, path);
  } catch (const std::filesystem::filesystem_error& error) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    fail(ErrorCode::unavailable, "cannot put {} in its place: {}", path.string(), error.code().message());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw;
  }
}

/// The score to print below `previous`: itself, or the next smaller float32.
float falling_score(float score, float previous) {
  score = std::min(score, std::numeric_limits<float>::max());
  score = std::max(score, std::numeric_limits<float>::lowest());
  return score < previous ? score : std::nextafter(previous, -std::numeric_limits<float>::infinity());
}

void write_list(const RankedList& list, const std::string& tag, std::string& lines) {
  check_column(list.query.str(), "query");
  float previous = std::numeric_limits<float>::infinity();
  std::size_t rank = 0;
  for (const ScoredPaper& item : list.papers) {
    check_column(item.paper.str(), "document");
    if (std::isnan(item.score)) {
      fail(ErrorCode::internal, "the score of document '{}' for query '{}' is not a number", item.paper.str(),
           list.query.str());
    }
    const float score = falling_score(item.score, previous);
    if (!std::isfinite(score)) {
      fail(ErrorCode::internal, "the scores of query '{}' fall below the smallest float32", list.query.str());
    }
    // fmt prints the fewest digits that read back as the same float32.
    fmt::format_to(std::back_inserter(lines), "{} Q0 {} {} {} {}\n", list.query.str(), item.paper.str(),
                   ++rank, score, tag);
    previous = score;
  }
}

}  // namespace

void write_run(const std::filesystem::path& path, const Run& run) {
  std::string tag = run.name.empty() ? "mustcite" : run.name;
  for (char& c : tag) {
    if (c == ' ' || (c >= '\t' && c <= '\r')) c = '_';
  }
  write_atomically(path, [&](io::FileWriter& writer) {
    std::string lines;
    for (const RankedList& list : run.lists) {
      lines.clear();
      write_list(list, tag, lines);
      writer.write(std::string_view(lines));
    }
  });
}

void write_qrels(const std::filesystem::path& path, const std::vector<Qrel>& qrels) {
  write_atomically(path, [&](io::FileWriter& writer) {
    for (const Qrel& qrel : qrels) {
      check_column(qrel.query.str(), "query");
      check_column(qrel.paper.str(), "document");
      writer.write(fmt::format("{} 0 {} {}\n", qrel.query.str(), qrel.paper.str(), qrel.relevance));
    }
  });
}

}  // namespace mustcite
