#include "engine/late/build.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/late/retriever.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/late/token_directions.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::late {
namespace {

namespace fs = std::filesystem;
using testing::code_of;

class Papers final : public snapshot::Source {
 public:
  explicit Papers(int count) : count_(count) {}
  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    const std::vector<std::string> words{"graph", "deep",    "network", "speech",
                                         "music", "protein", "robot",   "theorem"};
    for (int i = 0; i < count_; ++i) {
      const auto n = static_cast<std::size_t>(i);
      Paper paper;
      paper.id = PaperId("paper" + std::to_string(100 + i));
      paper.title = words[n % 8] + " " + words[n / 8 % 8];
      paper.abstract = "a paper of " + words[n / 3 % 8] + " with the " + words[n % 5] + " models";
      paper.date = {2000 + i, 0, 0};
      visit(paper);
    }
  }
  void each_citation(const std::function<void(const Citation&)>&) const override {}

 private:
  int count_;
};

class LateBuild : public ::testing::Test {
 protected:
  LateBuild() {
    test::write_tiny_model(folder_ / "tiny");
    recipe_.text.name = "tiny";
    recipe_.text.model = "org/tiny";
    model_ = model::resolve_late_model(folder_ / "tiny", late_options(recipe_));
  }

  snapshot::Snapshot snapshot_of(const std::string& name, int papers) {
    fs::create_directories(folder_ / name);
    SilentProgress progress;
    snapshot::build(Papers(papers), folder_ / name, progress);
    return snapshot::Snapshot::open(folder_ / name);
  }

  /// Counts the texts in `encoded_`; stops with an error when there would be more than `most`.
  TokenEncoderFactory factory(std::size_t most = 1000000) {
    return [this, most](const model::LateModel& model) -> std::unique_ptr<TokenEncoder> {
      class Counting final : public TokenEncoder {
       public:
        Counting(const model::LateModel& model, std::size_t& encoded, std::size_t most)
            : inner_(model), encoded_(encoded), most_(most) {}
        std::size_t dimensions() const override { return inner_.dimensions(); }
        const std::string& model_digest() const override { return inner_.model_digest(); }
        TokenVectors encode(std::span<const std::string_view> texts, model::TextRole role) override {
          if (encoded_ + texts.size() > most_) throw Error(ErrorCode::unavailable, "stopped by the test");
          encoded_ += texts.size();
          return inner_.encode(texts, role);
        }

       private:
        test::TokenDirections inner_;
        std::size_t& encoded_;
        std::size_t most_;
      };
      return std::make_unique<Counting>(model, encoded_, most);
    };
  }

  BuildReport build(const snapshot::Snapshot& snapshot, const TokenEncoderFactory& factory,
                    std::size_t threads = 1) {
    SilentProgress progress;
    BuildOptions options;
    options.part = 16;
    options.centroids = 32;
    options.threads = threads;
    return build_index(snapshot, recipe_, model_, factory, place(), options, progress);
  }
  [[nodiscard]] fs::path place() const { return folder_.path() / "late" / "tiny"; }

  mustcite::testing::TempFolder folder_;
  Recipe recipe_;
  model::LateModel model_;
  std::size_t encoded_ = 0;
};

TEST_F(LateBuild, EveryRowHasTheVectorsOfItsText) {
  const auto snapshot = snapshot_of("papers", 50);
  const auto report = build(snapshot, factory());
  EXPECT_EQ(report.encoded, 50U);
  EXPECT_EQ(report.documents, 50U);
  EXPECT_EQ(report.sampled, encoded_ - 50);
  const LateIndex index = LateIndex::open(place());
  EXPECT_EQ(index.info().model_digest, model_.digest);
  EXPECT_EQ(index.info().snapshot_digest, snapshot.digest());
  EXPECT_EQ(index.info().tokens, report.tokens);
  test::TokenDirections encoder(model_);
  for (std::uint32_t row = 0; row < 50; ++row) {
    const auto document = snapshot.document(DocId{row});
    const std::string text = std::string(document.title) + "[SEP]" + std::string(document.abstract);
    const std::string_view view = text;
    const auto wanted = encoder.encode({&view, 1}, model::TextRole::document);
    ASSERT_EQ(index.tokens(row), wanted.count(0));
    // Each of its vectors is near one that is kept: two bits alone give a cosine of 0.92 (see codec_test).
    const auto kept = index.vectors(row);
    EXPECT_GT(max_sim(wanted.of(0), kept, 64) / static_cast<double>(wanted.count(0)), 0.9) << row;
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "late" / ".tiny.parts"));
}

TEST_F(LateBuild, InterruptedItGoesOnAndEndsWithTheSameBytes) {
  const auto snapshot = snapshot_of("papers", 50);
  build(snapshot, factory());
  const auto through = io::read_file(place() / "late.bin");
  const std::size_t sampled = encoded_ - 50;
  fs::remove_all(place());
  encoded_ = 0;
  EXPECT_EQ(code_of([&] { build(snapshot, factory(sampled + 40)); }), ErrorCode::unavailable);
  EXPECT_FALSE(fs::exists(place()));
  encoded_ = 0;
  const auto report = build(snapshot, factory(), 3);
  EXPECT_EQ(report.resumed, 32U);
  EXPECT_EQ(report.encoded, 18U);
  EXPECT_EQ(encoded_, 18U);
  EXPECT_EQ(io::read_file(place() / "late.bin"), through);
}

TEST_F(LateBuild, PartsOfAnotherModelCountNothing) {
  const auto snapshot = snapshot_of("papers", 50);
  EXPECT_EQ(code_of([&] { build(snapshot, factory(45)); }), ErrorCode::unavailable);
  recipe_.reading.query_length = 20;
  model_ = model::resolve_late_model(folder_ / "tiny", late_options(recipe_));
  encoded_ = 0;
  EXPECT_EQ(build(snapshot, factory()).resumed, 0U);
}

TEST_F(LateBuild, ADamagedPartIsRefused) {
  const auto snapshot = snapshot_of("papers", 50);
  encoded_ = 0;
  EXPECT_EQ(code_of([&] { build(snapshot, factory(50)); }), ErrorCode::unavailable);
  const auto part = folder_.path() / "late" / ".tiny.parts" / "codec.bin";
  ASSERT_TRUE(fs::exists(part));
  auto bytes = io::read_file(part);
  bytes[bytes.size() / 2] ^= 1;
  io::write_file_atomically(part, bytes);
  EXPECT_EQ(code_of([&] { build(snapshot, factory()); }), ErrorCode::corrupt);
}

TEST_F(LateBuild, ARetrieverAnswersByTheModelThatMadeTheIndex) {
  const auto snapshot = snapshot_of("papers", 50);
  build(snapshot, factory());
  const Retriever retriever(place(), snapshot.digest(), factory());
  const auto document = snapshot.document(DocId{7});
  const auto vectors = retriever.encode({document.title, document.abstract, {}});
  const auto found = retriever.index().search(vectors, {});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].doc.value, 7U);
}

TEST_F(LateBuild, AQueryByAnotherModelAndOtherDocumentsAreRefused) {
  const auto snapshot = snapshot_of("papers", 50);
  build(snapshot, factory());
  EXPECT_EQ(code_of([&] { Retriever(place(), snapshot_of("more", 51).digest(), factory()); }),
            ErrorCode::corrupt);
  std::ofstream(folder_.path() / "tiny" / "vocab.txt", std::ios::app) << "changed\n";
  EXPECT_EQ(code_of([&] { Retriever(place(), snapshot.digest(), factory()); }), ErrorCode::corrupt);
}

TEST_F(LateBuild, NumbersThatAreNoneAreRefused) {
  const auto snapshot = snapshot_of("papers", 20);
  const TokenEncoderFactory broken = [&](const model::LateModel& model) -> std::unique_ptr<TokenEncoder> {
    class Broken final : public TokenEncoder {
     public:
      explicit Broken(const model::LateModel& model) : inner_(model) {}
      std::size_t dimensions() const override { return inner_.dimensions(); }
      const std::string& model_digest() const override { return inner_.model_digest(); }
      TokenVectors encode(std::span<const std::string_view> texts, model::TextRole role) override {
        auto all = inner_.encode(texts, role);
        all.values.back() = NAN;
        return all;
      }

     private:
      test::TokenDirections inner_;
    };
    return std::make_unique<Broken>(model);
  };
  EXPECT_EQ(code_of([&] { build(snapshot, broken); }), ErrorCode::invalid_input);
}

}  // namespace
}  // namespace mustcite::late
