#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "stages/extract/worker_pool.hpp"
#include "testing/temp_folder.hpp"
#include "unit/extract/pdf_writer.hpp"

namespace {

using namespace mustcite;
using mustcite::extract::WorkerOptions;
using mustcite::extract::WorkerPool;
using mustcite::testing::PdfWriter;

WorkerOptions options() {
  WorkerOptions chosen;
  chosen.program = std::filesystem::path(MUSTCITE_BINARY_DIR) / "bin" / "mustcite-pdf";
  return chosen;
}

std::string simple_pdf(int pages = 1) {
  PdfWriter writer;
  for (int i = 0; i < pages; ++i) {
    writer.page();
    writer.text(72, 100, 10, "Plain words stand here.");
  }
  return writer.bytes();
}

/// The error of reading these bytes; fails the test when there is none.
Error error_of(WorkerPool& pool, const std::string& bytes) {
  try {
    (void)pool.read(bytes, "file.pdf");
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::internal, ""};
}

TEST(PdfWorker, GivesWordsWithPlaceSizeAndFont) {
  PdfWriter writer;
  writer.page();
  writer.text(72, 100, 10, "Plain words");
  writer.text(72, 130, 14, "Bold", true);
  WorkerPool pool(options());
  const pdf::Content content = pool.read(writer.bytes(), "file.pdf");
  ASSERT_EQ(content.pages.size(), 1u);
  EXPECT_FLOAT_EQ(content.pages[0].width, 612);
  ASSERT_EQ(content.pages[0].words.size(), 3u);
  const auto& word = content.pages[0].words[0];
  EXPECT_EQ(word.text, "Plain");
  EXPECT_NEAR(word.x0, 72, 0.5);
  EXPECT_LT(word.y0, 100);
  EXPECT_NEAR(word.size, 10, 0.01);
  EXPECT_NE(content.fonts[content.pages[0].words[2].font].find("Bold"), std::string::npos);
}

TEST(PdfWorker, GivesLinksAndDestinationsFromTheTopLeftCorner) {
  PdfWriter writer;
  writer.page();
  writer.text(72, 100, 10, "See [1].");
  writer.link(90, 90, 104, 102, "cite.smith");
  writer.page();
  writer.text(72, 200, 10, "[1] A. Smith. A title. 2010.");
  writer.destination("cite.smith", 72, 190);
  WorkerPool pool(options());
  const pdf::Content content = pool.read(writer.bytes(), "file.pdf");
  ASSERT_EQ(content.pages[0].links.size(), 1u);
  EXPECT_EQ(content.pages[0].links[0].destination, "cite.smith");
  EXPECT_NEAR(content.pages[0].links[0].y0, 90, 0.01);
  ASSERT_EQ(content.destinations.size(), 1u);
  EXPECT_EQ(content.destinations[0].page, 2u);
  EXPECT_NEAR(content.destinations[0].y, 190, 0.01);
}

TEST(PdfWorker, OneWorkerReadsManyFilesAndIsReplacedAfterItsShare) {
  WorkerOptions chosen = options();
  chosen.recycle_after = 3;
  WorkerPool pool(chosen);
  for (int i = 0; i < 7; ++i) (void)pool.read(simple_pdf(), "file.pdf");
  EXPECT_EQ(pool.counts().started, 3u);
  EXPECT_EQ(pool.counts().files, 7u);
  EXPECT_EQ(pool.counts().retried, 0u);
}

TEST(PdfWorker, SaysThatAFileIsNoPdf) {
  WorkerPool pool(options());
  const Error error = error_of(pool, "<html>not found</html>");
  EXPECT_EQ(error.code(), ErrorCode::invalid_input);
  EXPECT_NE(std::string(error.what()).find("no PDF file"), std::string::npos) << error.what();
  EXPECT_EQ(error_of(pool, "").code(), ErrorCode::invalid_input);
}

TEST(PdfWorker, SaysThatAFileIsCutOff) {
  WorkerPool pool(options());
  const std::string whole = simple_pdf(3);
  for (const double share : {0.3, 0.6, 0.8}) {
    const Error error =
        error_of(pool, whole.substr(0, static_cast<std::size_t>(static_cast<double>(whole.size()) * share)));
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    EXPECT_NE(std::string(error.what()).find("cut off"), std::string::npos) << error.what();
  }
}

TEST(PdfWorker, SaysThatAFileIsEncrypted) {
  PdfWriter writer;
  writer.page();
  writer.encrypt();
  WorkerPool pool(options());
  const Error error = error_of(pool, writer.bytes());
  EXPECT_EQ(error.code(), ErrorCode::invalid_input);
  EXPECT_NE(std::string(error.what()).find("password"), std::string::npos) << error.what();
}

TEST(PdfWorker, SaysThatAFileHasNoPages) {
  WorkerPool pool(options());
  const Error error = error_of(pool, PdfWriter().bytes());
  EXPECT_EQ(error.code(), ErrorCode::invalid_input);
  EXPECT_NE(std::string(error.what()).find("no pages"), std::string::npos) << error.what();
}

TEST(PdfWorker, RefusesAThousandPagesUntilTheLimitIsRaised) {
  const std::string thousand = simple_pdf(1000);
  WorkerPool pool(options());
  const Error error = error_of(pool, thousand);
  EXPECT_EQ(error.code(), ErrorCode::exhausted);
  EXPECT_NE(std::string(error.what()).find("1000 pages"), std::string::npos) << error.what();
  WorkerOptions wide = options();
  wide.max_pages = 1000;
  WorkerPool other(wide);
  EXPECT_EQ(other.read(thousand, "file.pdf").pages.size(), 1000u);
}

TEST(PdfWorker, ADeadWorkerCostsTheFileAfterOneRetry) {
  const mustcite::testing::TempFolder folder;
  WorkerOptions chosen = options();
  chosen.program = folder / "worker";
  io::write_file_atomically(chosen.program, "#!/bin/sh\nexit 1\n");
  ::chmod(chosen.program.c_str(), 0755);
  WorkerPool pool(chosen);
  EXPECT_EQ(error_of(pool, simple_pdf()).code(), ErrorCode::exhausted);
  EXPECT_EQ(pool.counts().started, 2u);
  EXPECT_EQ(pool.counts().retried, 1u);
  EXPECT_EQ(pool.counts().lost, 1u);
}

TEST(PdfWorker, AWorkerThatHangsIsGivenUp) {
  const mustcite::testing::TempFolder folder;
  WorkerOptions chosen = options();
  chosen.program = folder / "worker";
  chosen.timeout_ms = 50;
  io::write_file_atomically(chosen.program,
                            "#!/bin/sh\nread never <&0\nread ever <&0\nexec /bin/cat >/dev/null\n");
  ::chmod(chosen.program.c_str(), 0755);
  WorkerPool pool(chosen);
  const Error error = error_of(pool, simple_pdf());
  EXPECT_EQ(error.code(), ErrorCode::exhausted);
  EXPECT_NE(std::string(error.what()).find("in time"), std::string::npos) << error.what();
}

TEST(PdfWorker, AWorkerThatTalksNonsenseIsNotBelieved) {
  const mustcite::testing::TempFolder folder;
  WorkerOptions chosen = options();
  chosen.program = folder / "worker";
  io::write_file_atomically(chosen.program,
                            "#!/bin/sh\nprintf 'nonsense nonsense nonsense' >&0\nexec /bin/cat >/dev/null\n");
  ::chmod(chosen.program.c_str(), 0755);
  WorkerPool pool(chosen);
  EXPECT_EQ(error_of(pool, simple_pdf()).code(), ErrorCode::exhausted);
  EXPECT_EQ(pool.counts().lost, 1u);
}

TEST(PdfWorker, AMissingProgramIsNamed) {
  WorkerOptions chosen = options();
  chosen.program = "/nowhere/mustcite-pdf";
  try {
    WorkerPool pool(chosen);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find("/nowhere/mustcite-pdf"), std::string::npos);
  }
}

/// A stream of 300 MB that packs into 300 kB, all of it words.
std::string bomb() {
  const std::string piece = "BT /R 8 Tf 72 700 Td (words words words words words) Tj ET\n";
  std::string block;
  while (block.size() < (std::size_t{1} << 20)) block += piece;
  z_stream stream{};
  deflateInit(&stream, 9);
  std::string out(std::size_t{4} << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  for (int i = 0; i < 300; ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(block.data());
    stream.avail_in = static_cast<uInt>(block.size());
    deflate(&stream, i == 299 ? Z_FINISH : Z_NO_FLUSH);
  }
  out.resize(stream.total_out);
  deflateEnd(&stream);
  PdfWriter writer;
  writer.deflated();
  writer.page();
  writer.raw(out);
  return writer.bytes();
}

TEST(PdfWorkerSlow, ABombCostsTheFileAndThePoolGoesOn) {
  WorkerOptions chosen = options();
  chosen.cpu_seconds = 1;
  chosen.max_memory_bytes = std::uint64_t{300} << 20;
  WorkerPool pool(chosen);
  EXPECT_EQ(error_of(pool, bomb()).code(), ErrorCode::exhausted);
  EXPECT_EQ(pool.read(simple_pdf(), "file.pdf").pages.size(), 1u);
}

}  // namespace
