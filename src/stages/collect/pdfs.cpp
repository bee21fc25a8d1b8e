#include "stages/collect/pdfs.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "core/net/download.hpp"
#include "core/net/url.hpp"

namespace mustcite::collect {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSmallest = 1000;  // bytes; a page of text takes more
constexpr std::size_t kMostInflated = std::size_t{64} << 20;

/// The highest /Count of a page tree node ("/Type /Pages … /Count 12") in a piece of PDF.
std::uint64_t pages_in(std::string_view text) {
  std::uint64_t most = 0;
  for (std::size_t at = text.find("/Pages"); at != std::string_view::npos; at = text.find("/Pages", at + 6)) {
    const std::size_t from = at < 400 ? 0 : at - 400;
    const std::string_view near = text.substr(from, 800);
    for (std::size_t count = near.find("/Count"); count != std::string_view::npos;
         count = near.find("/Count", count + 6)) {
      const std::size_t digits = near.find_first_not_of(" \r\n", count + 6);
      if (digits == std::string_view::npos) break;
      std::uint64_t value = 0;
      const auto read = std::from_chars(near.data() + digits, near.data() + near.size(), value);
      if (read.ec == std::errc{} && value < 100000) most = std::max(most, value);
    }
  }
  return most;
}

std::string inflated(std::string_view packed) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string plain;
  std::array<char, 32768> piece{};
  for (int state = Z_OK; state == Z_OK && plain.size() < kMostInflated;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END) break;
    plain.append(piece.data(), piece.size() - stream.avail_out);
    if (stream.avail_in == 0 && stream.avail_out > 0) break;
  }
  inflateEnd(&stream);
  return plain;
}

/// Since PDF 1.5 the page tree may lie in compressed object streams.
std::uint64_t pages_in_object_streams(std::string_view file) {
  std::uint64_t most = 0;
  std::size_t spent = 0;
  for (std::size_t at = file.find("/ObjStm"); at != std::string_view::npos && spent < kMostInflated;
       at = file.find("/ObjStm", at + 7)) {
    std::size_t begin = file.find("stream", at);
    if (begin == std::string_view::npos || begin > at + 2000) continue;
    begin += 6;
    while (begin < file.size() && (file[begin] == '\r' || file[begin] == '\n')) ++begin;
    const std::string objects = inflated(file.substr(begin, file.find("endstream", begin) - begin));
    spent += objects.size();
    most = std::max(most, pages_in(objects));
  }
  return most;
}

std::string file_name(const std::string& id) {
  std::string name;
  for (const char c : id.substr(0, 200)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    name.push_back(plain ? c : '_');
  }
  return name;
}

class Downloader {
 public:
  Downloader(net::Fetcher& fetcher, const PdfOptions& options) : fetcher_(fetcher), options_(options) {
    fs::create_directories(options.folder / "incoming");
  }

  /// What became of the paper's PDF.
  PdfState fetch(const Provenance& paper) {
    PdfState state;
    const std::optional<net::Url> url = net::parse_url(paper.pdf_url);
    if (!url) {
      state.problem = "the link is no address";
      return state;
    }
    if (const auto refusal = fetcher_.refusal(paper.pdf_url)) {
      state.problem = refusal->problem;
      return state;
    }
    const fs::path incoming = options_.folder / "incoming" / file_name(paper.id);
    try {
      const net::Pace::Turn turn = fetcher_.pace().wait(url->authority());
      SilentProgress silent;
      const net::Downloaded got = net::download(paper.pdf_url, incoming, download_options(), silent);
      state.bytes = got.bytes;
      const PdfFacts facts = check_pdf(incoming);
      state.pages = facts.pages;
      if (facts.problem) {
        state.problem = *facts.problem;
        fs::remove(incoming);
        return state;
      }
      fs::rename(incoming, options_.folder / (got.sha256 + ".pdf"));
      state.sha256 = got.sha256;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::exhausted) throw;
      state.problem = error.what();
    }
    return state;
  }

 private:
  net::DownloadOptions download_options() const {
    net::DownloadOptions made;
    made.max_bytes = options_.max_bytes;
    made.retries = fetcher_.options().retries;
    made.first_pause = fetcher_.options().first_pause;
    made.longest_pause = fetcher_.options().longest_pause;
    made.user_agent = fetcher_.user_agent();
    made.guard = fetcher_.options().guard;
    made.follows_to = [this](const std::string& host) { return fetcher_.is_allowed(host); };
    return made;
  }

  net::Fetcher& fetcher_;
  const PdfOptions& options_;
};

}  // namespace

PdfFacts check_pdf(const fs::path& file) {
  PdfFacts facts;
  const io::MappedFile mapped(file);
  const std::string_view text = mapped.text();
  if (text.substr(0, 1024).find("%PDF-") == std::string_view::npos) {
    facts.problem = "it is no PDF: the header is missing";
  } else if (text.size() < kSmallest) {
    facts.problem = fmt::format("a PDF of {} bytes holds no paper", text.size());
  } else if (text.substr(text.size() - std::min<std::size_t>(text.size(), 4096)).find("%%EOF") ==
             std::string_view::npos) {
    facts.problem = "it is cut off: the end mark is missing";
  }
  if (facts.problem) return facts;
  facts.pages = std::max(pages_in(text), pages_in_object_streams(text));
  return facts;
}

PdfReport download_pdfs(Ledger& ledger, const Options& options, const PdfOptions& pdf_options,
                        Progress& progress) {
  net::FetchOptions fetch = options.fetch;
  fetch.allowed_hosts.merge(hosts_of(options));
  net::Fetcher fetcher(std::move(fetch));
  Downloader downloader(fetcher, pdf_options);
  std::vector<Provenance> wanted;
  for (const Edition& edition : options.editions) {
    ledger.each(edition.venue, edition.year, [&](const Provenance& paper) {
      if (paper.main && !paper.pdf_url.empty()) wanted.push_back(paper);
    });
  }
  PdfReport report;
  report.wanted = wanted.size();
  progress.begin("PDFs", wanted.size());
  for (const Provenance& paper : wanted) {
    stop_if_interrupted();
    progress.advance(1);
    const std::optional<PdfState> known = ledger.pdf(paper.id);
    if (known && !known->sha256.empty() && fs::exists(pdf_options.folder / (known->sha256 + ".pdf"))) {
      ++report.there;
      continue;
    }
    const PdfState state = downloader.fetch(paper);
    ledger.put_pdf(paper.id, state);
    if (state.problem.empty()) {
      ++report.downloaded;
    } else {
      ++report.failed;
      report.problems.push_back({paper.id, state.problem});
    }
  }
  progress.finish();
  return report;
}

}  // namespace mustcite::collect
