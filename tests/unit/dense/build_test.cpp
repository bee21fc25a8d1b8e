#include "engine/dense/build.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/dense/retriever.hpp"
#include "unit/dense/token_encoder.hpp"
#include "unit/model/scratch.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::dense {
namespace {

namespace fs = std::filesystem;

class Papers final : public snapshot::Source {
 public:
  explicit Papers(std::vector<std::pair<std::string, std::string>> texts) : texts_(std::move(texts)) {}
  void each_paper(const std::function<void(const Paper&)>& visit) const override {
    for (const auto& [title, abstract] : texts_) {
      Paper paper;
      paper.id = PaperId(title);
      paper.title = title;
      paper.abstract = abstract;
      paper.date = {2000, 0, 0};
      visit(paper);
    }
  }
  void each_citation(const std::function<void(const Citation&)>&) const override {}

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
};

const std::vector<std::pair<std::string, std::string>> kTexts{{"deep speech", "a network of speech"},
                                                              {"graph learning", "deep models with a graph"},
                                                              {"music", "learning the music"},
                                                              {"robot", "a robot with image models"},
                                                              {"theorem", "the theorem of a graph"}};

class DenseBuild : public testing::Test {
 protected:
  DenseBuild() {
    test::write_tiny_model(scratch_.path() / "tiny");
    recipe_.name = "tiny";
    recipe_.model = "org/tiny";
    model_ = model::resolve_model(scratch_.path() / "tiny", folder_options(recipe_, std::nullopt));
  }

  snapshot::Snapshot snapshot_of(const std::string& name,
                                 const std::vector<std::pair<std::string, std::string>>& texts) {
    const fs::path folder = scratch_.path() / name;
    fs::create_directories(folder);
    SilentProgress progress;
    snapshot::build(Papers(texts), folder, progress);
    return snapshot::Snapshot::open(folder);
  }

  /// Counts what the encoder was asked for in `encoded_`; stops with an error after `most` texts.
  EncoderFactory factory(std::size_t most = 1000000) {
    return [this, most](const model::ModelFolder& model) -> std::unique_ptr<Encoder> {
      class Counting final : public Encoder {
       public:
        Counting(const model::ModelFolder& model, std::size_t& encoded, std::size_t most)
            : inner_(model), encoded_(encoded), most_(most) {}
        std::size_t dimensions() const override { return inner_.dimensions(); }
        const std::string& model_digest() const override { return inner_.model_digest(); }
        void encode(std::span<const std::string_view> texts, std::span<float> out) override {
          if (encoded_ + texts.size() > most_) throw Error(ErrorCode::unavailable, "stopped by the test");
          encoded_ += texts.size();
          inner_.encode(texts, out);
        }

       private:
        test::TokenEncoder inner_;
        std::size_t& encoded_;
        std::size_t most_;
      };
      return std::make_unique<Counting>(model, encoded_, most);
    };
  }

  BuildReport build(const snapshot::Snapshot& snapshot, const EncoderFactory& factory, std::size_t part = 2) {
    SilentProgress progress;
    return build_vectors(snapshot, recipe_, model_, factory, scratch_.path() / "dense" / "tiny",
                         {Storage::float16, part}, progress);
  }

  test::Scratch scratch_;
  Recipe recipe_;
  model::ModelFolder model_;
  std::size_t encoded_ = 0;
};

TEST_F(DenseBuild, EveryRowHasTheVectorOfItsText) {
  const auto snapshot = snapshot_of("five", kTexts);
  const auto report = build(snapshot, factory());
  EXPECT_EQ(report.documents, 5U);
  EXPECT_EQ(report.encoded, 5U);
  const VectorFile file = VectorFile::open(scratch_.path() / "dense" / "tiny");
  EXPECT_EQ(file.info().model_digest, model_.digest);
  EXPECT_EQ(file.info().snapshot_digest, snapshot.digest());
  test::TokenEncoder encoder(model_);
  for (std::uint32_t row = 0; row < 5; ++row) {
    const auto document = snapshot.document(DocId{row});
    const std::string text = std::string(document.title) + "[SEP]" + std::string(document.abstract);
    const std::string_view view = text;
    std::vector<float> wanted(64);
    std::vector<float> found(64);
    encoder.encode({&view, 1}, wanted);
    file.read(row, found);
    for (std::size_t k = 0; k < 64; ++k) EXPECT_NEAR(found[k], wanted[k], 1e-3F);
  }
}

TEST_F(DenseBuild, GoesOnWhereItWasStopped) {
  const auto snapshot = snapshot_of("five", kTexts);
  EXPECT_THROW(build(snapshot, factory(3)), Error);
  EXPECT_EQ(encoded_, 2U);
  EXPECT_FALSE(fs::exists(scratch_.path() / "dense" / "tiny"));
  {  // a record that was cut off in the middle of writing
    std::ofstream partial(scratch_.path() / "dense" / ".tiny.partial", std::ios::app | std::ios::binary);
    partial << "half a record";
  }
  const auto report = build(snapshot, factory());
  EXPECT_EQ(report.resumed, 2U);
  EXPECT_EQ(report.encoded, 3U);
  EXPECT_EQ(encoded_, 5U);
  EXPECT_FALSE(fs::exists(scratch_.path() / "dense" / ".tiny.partial"));
}

TEST_F(DenseBuild, InterruptedOrNotTheFileIsTheSame) {
  const auto snapshot = snapshot_of("five", kTexts);
  build(snapshot, factory());
  const std::string through = io::read_file(scratch_.path() / "dense" / "tiny" / "vectors.bin");
  fs::remove_all(scratch_.path() / "dense");
  encoded_ = 0;
  EXPECT_THROW(build(snapshot, factory(3)), Error);
  build(snapshot, factory(), 3);
  EXPECT_EQ(io::read_file(scratch_.path() / "dense" / "tiny" / "vectors.bin"), through);
}

TEST_F(DenseBuild, EncodesOnlyWhatIsNew) {
  build(snapshot_of("five", kTexts), factory());
  auto more = kTexts;
  more[0].second = "another abstract of speech";
  more.emplace_back("protein", "a protein");
  const auto snapshot = snapshot_of("six", more);
  const auto report = build(snapshot, factory());
  EXPECT_EQ(report.documents, 6U);
  EXPECT_EQ(report.reused, 4U);
  EXPECT_EQ(report.encoded, 2U);
  EXPECT_EQ(encoded_, 7U);
}

TEST_F(DenseBuild, AnotherModelEncodesEverythingAnew) {
  const auto snapshot = snapshot_of("five", kTexts);
  build(snapshot, factory());
  test::write_tiny_model(scratch_.path() / "tiny", 0.25F);
  model_ = model::resolve_model(scratch_.path() / "tiny", folder_options(recipe_, std::nullopt));
  EXPECT_EQ(build(snapshot, factory()).encoded, 5U);
}

TEST_F(DenseBuild, RefusesNumbersThatAreNone) {
  class Broken final : public Encoder {
   public:
    explicit Broken(const model::ModelFolder& model) : digest_(model.digest), dims_(model.dimensions()) {}
    std::size_t dimensions() const override { return dims_; }
    const std::string& model_digest() const override { return digest_; }
    void encode(std::span<const std::string_view>, std::span<float> out) override {
      std::fill(out.begin(), out.end(), NAN);
    }

   private:
    std::string digest_;
    std::size_t dims_;
  };
  const auto snapshot = snapshot_of("five", kTexts);
  const EncoderFactory broken = [](const model::ModelFolder& model) {
    return std::make_unique<Broken>(model);
  };
  EXPECT_EQ(test::code_of([&] { build(snapshot, broken); }), ErrorCode::invalid_input);
}

TEST_F(DenseBuild, ARetrieverFindsTheTextItself) {
  const auto snapshot = snapshot_of("five", kTexts);
  build(snapshot, factory());
  const Retriever retriever(scratch_.path() / "dense" / "tiny", snapshot.digest(), factory());
  for (std::uint32_t row = 0; row < 5; ++row) {
    const auto document = snapshot.document(DocId{row});
    const auto vector = retriever.encode({document.title, document.abstract, {}});
    const auto found = retriever.vectors().search(vector, {1, std::nullopt, {}});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].doc.value, row);
    EXPECT_NEAR(found[0].score, 1.0F, 1e-3F);
  }
}

TEST_F(DenseBuild, ARetrieverEncodesAQueryOnce) {
  const auto snapshot = snapshot_of("five", kTexts);
  build(snapshot, factory());
  const Retriever retriever(scratch_.path() / "dense" / "tiny", snapshot.digest(), factory());
  encoded_ = 0;
  const std::vector<TextParts> queries{{"deep", "graph", {}}, {"music", "", {}}};
  retriever.prepare(queries);
  EXPECT_EQ(encoded_, 2U);
  static_cast<void>(retriever.encode(queries[1]));
  EXPECT_EQ(encoded_, 2U);
}

TEST_F(DenseBuild, ARetrieverRefusesAnotherModelAndOtherDocuments) {
  const auto snapshot = snapshot_of("five", kTexts);
  build(snapshot, factory());
  const fs::path folder = scratch_.path() / "dense" / "tiny";
  EXPECT_THAT(test::message_of([&] { const Retriever retriever(folder, "other", factory()); }),
              testing::HasSubstr("other documents"));
  test::write_tiny_model(scratch_.path() / "tiny", 0.25F);
  EXPECT_THAT(test::message_of([&] { const Retriever retriever(folder, snapshot.digest(), factory()); }),
              testing::HasSubstr("made by another model"));
}

}  // namespace
}  // namespace mustcite::dense
