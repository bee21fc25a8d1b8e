#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "apps/audit/bibliography.hpp"
#include "apps/audit/read_draft.hpp"
#include "mustcite/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::audit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::internal;
}

void put(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

/// Writes zip archives after APPNOTE: a second implementation, as the reader's oracle.
class ZipWriter {
 public:
  void add(const std::string& name, const std::string& content, bool deflated, std::uint32_t flags = 0) {
    std::string packed = content;
    if (deflated) {
      z_stream stream{};
      deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      packed.resize(content.size() + 1000);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
      stream.avail_in = static_cast<uInt>(content.size());
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, Z_FINISH);
      packed.resize(stream.total_out);
      deflateEnd(&stream);
    }
    std::string common;
    put(common, 20, 2);
    put(common, flags, 2);
    put(common, deflated ? 8 : 0, 2);
    put(common, 0, 4);
    put(common, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()))), 4);
    put(common, static_cast<std::uint32_t>(packed.size()), 4);
    put(common, static_cast<std::uint32_t>(content.size()), 4);
    put(common, static_cast<std::uint32_t>(name.size()), 2);
    put(common, 0, 2);
    const auto offset = static_cast<std::uint32_t>(body_.size());
    body_ += std::string("PK\x03\x04", 4) + common + name + packed;
    central_ += std::string("PK\x01\x02", 4);
    put(central_, 20, 2);
    central_ += common;
    put(central_, 0, 2);
    put(central_, 0, 2);
    put(central_, 0, 2);
    put(central_, 0, 4);
    put(central_, offset, 4);
    central_ += name;
    ++count_;
  }

  [[nodiscard]] std::string finish() const {
    std::string out = body_ + central_ + std::string("PK\x05\x06", 4);
    put(out, 0, 4);
    put(out, count_, 2);
    put(out, count_, 2);
    put(out, static_cast<std::uint32_t>(central_.size()), 4);
    put(out, static_cast<std::uint32_t>(body_.size()), 4);
    put(out, 0, 2);
    return out;
  }

 private:
  std::string body_;
  std::string central_;
  std::uint32_t count_ = 0;
};

constexpr const char* kMain = "\\documentclass{article}\\title{T}\\begin{document}\\input{part}\\end{document}";

TEST(Zip, ReadsStoredAndDeflatedTextAndPassesPicturesOver) {
  ZipWriter zip;
  zip.add("paper/", "", false);
  zip.add("paper/main.tex", kMain, true);
  zip.add("paper/part.tex", "\\cite{a}", false);
  zip.add("paper/figure.png", std::string(100, 'x'), true);
  const auto files = read_zip(zip.finish(), {});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files.at("paper/main.tex"), kMain);
  testing::TempFolder folder;
  write(folder / "draft.zip", zip.finish());
  const Draft draft = read_draft(folder / "draft.zip", {});
  EXPECT_EQ(draft.main_file, "paper/main.tex");
  ASSERT_EQ(draft.mentions.size(), 1U);
}

TEST(Zip, RefusesNamesThatLeaveTheFolder) {
  for (const char* name : {"../evil.tex", "/etc/evil.tex", "a/../../evil.tex", "..\\evil.tex", "C:/evil.tex"}) {
    ZipWriter zip;
    zip.add(name, "x", false);
    EXPECT_EQ(code_of([&] { (void)read_zip(zip.finish(), {}); }), ErrorCode::invalid_input) << name;
  }
}

TEST(Zip, StopsABombAtTheLimit) {
  ZipWriter zip;
  zip.add("main.tex", std::string(5'000'000, 'a'), true);
  ReadLimits limits;
  limits.total_bytes = 1'000'000;
  EXPECT_LT(zip.finish().size(), 20'000U);
  EXPECT_EQ(code_of([&] { (void)read_zip(zip.finish(), limits); }), ErrorCode::exhausted);
  limits.total_bytes = 6'000'000;
  EXPECT_EQ(read_zip(zip.finish(), limits).size(), 1U);
}

TEST(Zip, RefusesDamagedAndEncryptedArchives) {
  ZipWriter zip;
  zip.add("main.tex", kMain, true);
  const std::string good = zip.finish();
  for (std::size_t cut = 0; cut < good.size(); cut += 7) {
    EXPECT_EQ(code_of([&] { (void)read_zip(good.substr(0, cut), {}); }), ErrorCode::invalid_input) << cut;
  }
  std::string flipped = good;
  flipped[40] = static_cast<char>(flipped[40] ^ 0x55);
  EXPECT_EQ(code_of([&] { (void)read_zip(flipped, {}); }), ErrorCode::invalid_input);
  ZipWriter locked;
  locked.add("main.tex", kMain, false, 1);
  EXPECT_EQ(code_of([&] { (void)read_zip(locked.finish(), {}); }), ErrorCode::invalid_input);
}

TEST(NormalPath, ResolvesDotsAndRefusesToLeave) {
  EXPECT_EQ(normal_path("a/./b/../c"), "a/c");
  EXPECT_EQ(normal_path("a//b"), "a/b");
  EXPECT_EQ(normal_path("../a"), "");
  EXPECT_EQ(normal_path("a/../../b"), "");
  EXPECT_EQ(normal_path("/a"), "");
}

TEST(FolderTree, RefusesSymbolicLinksThatLeadOutUnlessAllowed) {
  testing::TempFolder folder;
  write(folder / "secret.tex", "\\cite{secret}");
  write(folder / "draft/main.tex", "\\documentclass{article}\\begin{document}\\input{link}\\input{../secret}\\end{document}");
  std::filesystem::create_symlink(folder / "secret.tex", folder / "draft/link.tex");
  const Draft refused = read_draft(folder / "draft", {});
  EXPECT_TRUE(refused.mentions.empty());
  EXPECT_THAT(refused.problems.at(0).what, HasSubstr("outside"));
  ReadOptions allowed;
  allowed.allow_outside = true;
  EXPECT_EQ(read_draft(folder / "draft", allowed).mentions.size(), 2U);
}

TEST(ReadDraft, RefusesWhatItCannotRead) {
  testing::TempFolder folder;
  write(folder / "a.pdf", "%PDF-1.5");
  write(folder / "a.docx", "x");
  write(folder / "empty/readme.rst", "x");
  EXPECT_EQ(code_of([&] { (void)read_draft(folder / "none.tex", {}); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { (void)read_draft(folder / "empty", {}); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { (void)read_draft(folder / "a.docx", {}); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { (void)read_draft(folder / "a.pdf", {}); }), ErrorCode::unavailable);
  ReadOptions with_reader;
  with_reader.pdf_reader = [](const std::filesystem::path&) {
    Draft draft;
    draft.title = "from the reader";
    return draft;
  };
  EXPECT_EQ(read_draft(folder / "a.pdf", with_reader).title, "from the reader");
  ReadOptions small;
  small.limits.file_bytes = 10;
  write(folder / "big.tex", std::string(100, 'x'));
  EXPECT_EQ(code_of([&] { (void)read_draft(folder / "big.tex", small); }), ErrorCode::exhausted);
}

TEST(ReadDraft, ReadsASingleFileWithItsNeighboursAndFurtherBibliographies) {
  testing::TempFolder folder;
  write(folder / "d/main.tex", "\\documentclass{article}\\begin{document}\\cite{a}\\input{part}\\end{document}");
  write(folder / "d/part.tex", "\\cite{b}");
  write(folder / "refs.bib", "@misc{a, title={A}}");
  ReadOptions options;
  options.bibliographies = {folder / "refs.bib"};
  const Draft draft = read_draft(folder / "d/main.tex", options);
  EXPECT_EQ(draft.mentions.size(), 2U);
  EXPECT_EQ(draft.bibliography.size(), 1U);
}

TEST(Markdown, ReadsPandocKeysAndFrontMatter) {
  const MemoryTree tree(std::map<std::string, std::string>{{"r.bib", "@misc{doe99, title={T}}"}});
  const Draft draft = read_markdown(R"(---
title: "Tea for All"
abstract: |
  We drink.
  And eat.
bibliography: r.bib
---
# Introduction
As @doe99 says, tea [see @roe_2001, p. 3; -@poe:02.b]. Mail me@example.org.

```
@code
```
## Results
Good \citep{doe99, k}. Not `@this`.
)", "d.md", tree);
  EXPECT_EQ(draft.title, "Tea for All");
  EXPECT_EQ(draft.abstract, "We drink. And eat.");
  std::vector<std::string> keys;
  for (const auto& m : draft.mentions) keys.push_back(m.key);
  EXPECT_THAT(keys, ElementsAre("doe99", "roe_2001", "poe:02.b", "doe99", "k"));
  EXPECT_EQ(draft.mentions[1].where.line, 9U);
  EXPECT_EQ(draft.sections.at(1).kind, SectionKind::experiments);
  EXPECT_EQ(draft.bibliography.size(), 1U);
}

TEST(Markdown, ReadsNumberedReferences) {
  const Draft draft = read_markdown(R"(# Tea

Old work [1], newer [2, 3] and the rest [1-3]; an array x[9].

## References
[1] A. Doe. On leaves and other things. Tea Journal, 1999.
[2] B. Roe and C. Poe. "A quoted title of tea." In ICML, 2001.
3. D. Moe (2005). Cups and their makers. NIPS.
   continued here.
)", "d.md", MemoryTree({}));
  ASSERT_EQ(draft.bibliography.size(), 3U);
  EXPECT_EQ(draft.bibliography[0].reference.title, "On leaves and other things");
  EXPECT_EQ(draft.bibliography[1].reference.title, "A quoted title of tea");
  EXPECT_THAT(draft.bibliography[1].reference.authors, ElementsAre("B. Roe", "C. Poe"));
  EXPECT_EQ(draft.bibliography[2].reference.title, "Cups and their makers");
  EXPECT_EQ(draft.bibliography[2].reference.year, 2005);
  std::string keys;
  for (const auto& m : draft.mentions) keys += m.key;
  EXPECT_EQ(keys, "123123");
}

TEST(PlainText, TakesTitleLineAndFirstParagraph) {
  const Draft draft = read_text("Tea for All\n\nWe drink tea.\nAnd eat [1].\n\nMore text.\n\nReferences\n\n[1] A. Doe. On leaves and things. 1999.\n", "d.txt");
  EXPECT_EQ(draft.title, "Tea for All");
  EXPECT_EQ(draft.abstract, "We drink tea. And eat [1].");
  EXPECT_EQ(draft.bibliography.size(), 1U);
  EXPECT_EQ(draft.mentions.size(), 1U);
  EXPECT_EQ(read_text("", "d.txt").problems.size(), 3U);
}

TEST(PrintedAuthors, AreSplitInEveryUsualForm) {
  EXPECT_THAT(split_printed_authors("A. Smith, B. C. Jones, and D. Doe"), ElementsAre("A. Smith", "B. C. Jones", "D. Doe"));
  EXPECT_THAT(split_printed_authors("Smith, A., Jones, B. C. & Doe, D."), ElementsAre("A. Smith", "B. C. Jones", "D. Doe"));
  EXPECT_THAT(split_printed_authors("Smith A, Jones BC, et al."), ElementsAre("A Smith", "BC Jones"));
}

}  // namespace
}  // namespace mustcite::audit
