#include "core/store/pack.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/store/pack_format.hpp"
#include "testing/child.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/store/records.hpp"

namespace mustcite::store {
namespace {

using testing::code_of;
using testing::TempFolder;
using Mode = Catalog::Mode;

constexpr int kPapers = 500;

/// A catalog with papers, pairs, a label and things that are not packed.
void fill(Catalog& catalog, bool backwards = false) {
  Catalog::Batch batch(catalog);
  for (int i = 0; i < kPapers; ++i) catalog.put(testing::numbered_paper(backwards ? kPapers - 1 - i : i));
  for (int i = 1; i < kPapers; ++i) catalog.put(testing::numbered_citation(backwards ? kPapers - i : i));
  catalog.put(Label{PaperId("n1"), PaperId("n0"), Tier::type2, 4, "judge", "v1", {2024, 5, 1}});
  catalog.reject({"file", 1, "x", "reason"});
  batch.commit();
}

struct Packed {
  explicit Packed(const TempFolder& scratch, const PackOptions& options = {})
      : catalog(scratch / "from.sqlite", Mode::create), file(scratch / "demo.mcpack") {
    fill(catalog);
    info = pack(catalog, file, options, progress);
  }
  SilentProgress progress;
  Catalog catalog;
  std::filesystem::path file;
  PackInfo info;
};

void overwrite(const std::filesystem::path& file, std::size_t at, const std::string& bytes) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(at));
  out << bytes;
}

TEST(Pack, BringsEveryRecordToAnotherCatalog) {
  const TempFolder scratch;
  Packed packed(scratch);
  Catalog to(scratch / "to.sqlite", Mode::create);
  const auto report = install_pack(packed.file, to, packed.progress);
  EXPECT_EQ(report.added, 2U * kPapers);
  EXPECT_EQ(report.updated + report.unchanged, 0U);
  EXPECT_EQ(to.revision(), packed.catalog.revision());
  EXPECT_EQ(to.counts().contexts, packed.catalog.counts().contexts);
  EXPECT_EQ(to.counts().rejects, 0U) << "the ledger stays behind";
  EXPECT_EQ(to.fact("pack"), "catalog sha256:" + packed.info.sha256);
}

TEST(Pack, InstallingTwiceChangesNothing) {
  const TempFolder scratch;
  Packed packed(scratch);
  Catalog to(scratch / "to.sqlite", Mode::create);
  install_pack(packed.file, to, packed.progress);
  const auto revision = to.revision();
  const auto again = install_pack(packed.file, to, packed.progress);
  EXPECT_EQ(again.unchanged, 2U * kPapers);
  EXPECT_EQ(again.added + again.updated, 0U);
  EXPECT_EQ(to.revision(), revision);
}

TEST(Pack, HasTheSameBytesForTheSameRecordsWhateverTheOrderOfWriting) {
  const TempFolder scratch;
  Packed packed(scratch);
  Catalog backwards(scratch / "backwards.sqlite", Mode::create);
  fill(backwards, true);
  pack(backwards, scratch / "backwards.mcpack", {}, packed.progress);
  EXPECT_EQ(io::read_file(scratch / "backwards.mcpack"), io::read_file(packed.file));
}

TEST(Pack, HeadSaysWhatIsInside) {
  const TempFolder scratch;
  PackOptions options;
  options.name = "ml \"2024\"";
  Packed packed(scratch, options);
  const auto info = inspect_pack(packed.file);
  EXPECT_EQ(info.name, options.name);
  EXPECT_EQ(info.papers, static_cast<std::uint64_t>(kPapers));
  EXPECT_EQ(info.citations, kPapers - 1U);
  EXPECT_EQ(info.contexts, packed.catalog.counts().contexts);
  EXPECT_EQ(info.labels, 1U);
  EXPECT_EQ(info.payload_bytes + kPackHeadBytes, std::filesystem::file_size(packed.file));
  EXPECT_EQ(info.sha256, sha256_hex(io::read_file(packed.file).substr(kPackHeadBytes)));
}

TEST(Pack, LeavesTextsOutOnRequest) {
  const TempFolder scratch;
  PackOptions options;
  options.with_abstracts = false;
  options.with_contexts = false;
  Packed packed(scratch, options);
  Catalog to(scratch / "to.sqlite", Mode::create);
  install_pack(packed.file, to, packed.progress);
  EXPECT_EQ(to.counts().papers, static_cast<std::uint64_t>(kPapers));
  EXPECT_EQ(to.counts().papers_with_abstract, 0U);
  EXPECT_EQ(to.counts().contexts, 0U);
  EXPECT_EQ(to.counts().citations, kPapers - 1U);
}

TEST(Pack, TakesAnEmptyCatalog) {
  const TempFolder scratch;
  SilentProgress progress;
  const Catalog empty(scratch / "from.sqlite", Mode::create);
  pack(empty, scratch / "empty.mcpack", {}, progress);
  Catalog to(scratch / "to.sqlite", Mode::create);
  EXPECT_EQ(install_pack(scratch / "empty.mcpack", to, progress).added, 0U);
}

TEST(Pack, RefusesForeignMissingAndNewerFiles) {
  const TempFolder scratch;
  Packed packed(scratch);
  std::ofstream(scratch / "foreign") << std::string(10000, 'x');
  std::ofstream(scratch / "empty");
  EXPECT_EQ(code_of([&] { inspect_pack(scratch / "foreign"); }), ErrorCode::corrupt);
  EXPECT_EQ(code_of([&] { inspect_pack(scratch / "empty"); }), ErrorCode::corrupt);
  EXPECT_EQ(code_of([&] { inspect_pack(scratch / "none"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { inspect_pack(scratch.path()); }), ErrorCode::not_found);
  overwrite(packed.file, 8, "\x02");
  try {
    inspect_pack(packed.file);
    ADD_FAILURE() << "took a newer version";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 2"), std::string::npos) << error.what();
  }
}

TEST(Pack, RefusesEveryCutAndTouchesNothing) {
  const TempFolder scratch;
  Packed packed(scratch);
  const auto size = std::filesystem::file_size(packed.file);
  Catalog to(scratch / "to.sqlite", Mode::create);
  for (const auto kept :
       {size - 1, size / 2, std::uintmax_t{kPackHeadBytes}, std::uintmax_t{100}, std::uintmax_t{8}}) {
    std::filesystem::resize_file(packed.file, kept);
    EXPECT_EQ(code_of([&] { install_pack(packed.file, to, packed.progress); }), ErrorCode::corrupt) << kept;
  }
  EXPECT_EQ(to.counts().papers, 0U);
}

TEST(Pack, RefusesEveryFlippedByteAndTouchesNothing) {
  const TempFolder scratch;
  Packed packed(scratch);
  const std::string sound = io::read_file(packed.file);
  const std::size_t head_text_end = sound.find('}') + 1;
  Catalog to(scratch / "to.sqlite", Mode::create);
  for (std::size_t at = 0; at < sound.size(); at += at < head_text_end ? 7 : 997) {
    if (at >= head_text_end && at < kPackHeadBytes) continue;  // padding says nothing
    overwrite(packed.file, at, std::string(1, static_cast<char>(sound[at] ^ 0x20)));
    EXPECT_EQ(code_of([&] { install_pack(packed.file, to, packed.progress); }), ErrorCode::corrupt) << at;
    overwrite(packed.file, at, std::string(1, sound[at]));
  }
  EXPECT_EQ(to.counts().papers, 0U);
  install_pack(packed.file, to, packed.progress);
  EXPECT_EQ(to.revision(), packed.catalog.revision());
}

TEST(Pack, RefusesAHeadWithARightDigestAndWrongCounts) {
  const TempFolder scratch;
  Packed packed(scratch);
  SilentProgress progress;
  for (const int change : {-1, 1}) {
    PackInfo lie = packed.info;
    lie.labels = static_cast<std::uint64_t>(static_cast<int>(lie.labels) + change);
    overwrite(packed.file, 0, encode_pack_head(lie));
    Catalog to(scratch / ("to" + std::to_string(change)), Mode::create);
    EXPECT_EQ(code_of([&] { install_pack(packed.file, to, progress); }), ErrorCode::corrupt) << change;
  }
  PackInfo lie = packed.info;
  lie.text_bytes -= 1;
  overwrite(packed.file, 0, encode_pack_head(lie));
  Catalog to(scratch / "to.sqlite", Mode::create);
  EXPECT_EQ(code_of([&] { install_pack(packed.file, to, progress); }), ErrorCode::corrupt);
}

TEST(Pack, IsFinishedByASecondCallAfterAnInterruption) {
  const TempFolder scratch;
  Packed packed(scratch);
  // Stops the process in the middle of the records.
  class Killer final : public Progress {
   public:
    void begin(std::string_view stage, std::uint64_t) override { installing_ = stage == "install"; }
    void advance(std::uint64_t units) override {
      done_ += installing_ ? units : 0;
      if (done_ > kPapers) std::raise(SIGKILL);
    }
    void finish() override {}

   private:
    bool installing_ = false;
    std::uint64_t done_ = 0;
  };
  EXPECT_EQ(testing::in_child([&] {
              Catalog to(scratch / "to.sqlite", Mode::create);
              Killer killer;
              install_pack(packed.file, to, killer);
              return 0;
            }),
            128 + SIGKILL);
  Catalog to(scratch / "to.sqlite", Mode::create);
  install_pack(packed.file, to, packed.progress);
  EXPECT_EQ(to.revision(), packed.catalog.revision());
}

TEST(Pack, AFullDiskLeavesNoPack) {
  const TempFolder scratch;
  Packed packed(scratch);
  EXPECT_EQ(testing::in_child([&] {
              const Catalog from(scratch / "from.sqlite", Mode::read_only);
              testing::limit_file_size(10000);
              SilentProgress progress;
              pack(from, scratch / "full.mcpack", {}, progress);
              return 0;
            }),
            testing::refusal(ErrorCode::exhausted));
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    EXPECT_EQ(entry.path().string().find("full"), std::string::npos) << entry.path();
  }
}

TEST(PackLabel, SurvivesJson) {
  const Label label{PaperId("a"), PaperId("b"),  Tier::type1, 1,        "rater \"x\"",
                    "rubric-1",   {2024, 5, 0}, "model-7",   0.123456, "1.\n"};
  const Label back = label_from_json(label_to_json(label));
  EXPECT_EQ(back.judge, label.judge);
  EXPECT_EQ(back.tier, label.tier);
  EXPECT_EQ(back.date, label.date);
  EXPECT_EQ(back.model, label.model);
  EXPECT_EQ(back.probability, label.probability);
  EXPECT_EQ(back.reply, label.reply);
  EXPECT_EQ(code_of([] { static_cast<void>(label_from_json("{\"tier\": 3}")); }), ErrorCode::invalid_input);
}

}  // namespace
}  // namespace mustcite::store
