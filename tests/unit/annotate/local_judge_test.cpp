#include "stages/annotate/local_judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/io/file.hpp"
#include "stages/annotate/annotate.hpp"
#include "stages/annotate/train_local.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::annotate {
namespace {

namespace fs = std::filesystem;

fs::path shared() {
  const char* folder = std::getenv("MUSTCITE_SHARED");
  return folder != nullptr ? fs::path(folder) : fs::path(MUSTCITE_SOURCE_DIR) / ".." / "shared";
}

const fs::path kShipped = fs::path(MUSTCITE_SOURCE_DIR) / "data" / "models" / "judge";

/// Citations whose wording and sections say what they are.
std::vector<Instance> made_up(std::size_t count) {
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < count; ++i) {
    Instance instance;
    instance.id = "i" + std::to_string(i);
    instance.citing = PaperId("c" + std::to_string(i));
    instance.citing_title = "Sorting by fast networks";
    instance.cited_title = i % 2 == 0 ? "Fast sorting networks" : "A survey of trees";
    instance.cited_as = "7";
    const bool central = i % 2 == 0;
    instance.mentions = central ? 4 : 1;
    instance.contexts =
        central ? std::vector<CitationContext>{{"5 Experiments", "Our method outperforms the baseline [7]."}}
                : std::vector<CitationContext>{{"2 Related Work", "Trees have been studied [3, 5, 7, 9]."}};
    instance.ratings = {{"a", central ? 1 : 0,
                         central ? 4 + static_cast<int>(i % 4 == 0) : 1 + static_cast<int>(i % 4 == 1), ""}};
    instances.push_back(std::move(instance));
  }
  return instances;
}

Trained trained_on(const std::vector<Instance>& instances) {
  std::vector<SentenceModel::Example> sentences;
  for (const auto& instance : instances) {
    sentences.push_back({SentenceModel::tokens_of(instance.contexts[0], instance.cited_as),
                         static_cast<float>(*instance.ratings[0].type1), 1});
  }
  return train_local(instances, SentenceModel::train(sentences), TrainOptions{});
}

TEST(Features, AreFiniteAndNamedForAnyInstance) {
  const std::size_t columns = feature_names().size();
  Instance strange;
  strange.contexts = {{"", ""}, {"\xff\xfe", std::string(5000, '[')}, {"9", "(((2012"}};
  strange.cited_as = "[";
  strange.mentions = 0;
  for (const auto& instance : {Instance{}, strange}) {
    const auto row = features_of(instance, nullptr);
    ASSERT_EQ(row.size(), columns);
    for (std::size_t i = 0; i < columns; ++i) EXPECT_TRUE(std::isfinite(row[i])) << feature_names()[i];
  }
}

TEST(SentenceModel, LearnsWordingAndSurvivesBytes) {
  const auto central = SentenceModel::tokens_of({"", "We use the method of [7] in our tests."}, "7");
  const auto passing = SentenceModel::tokens_of({"", "Many works [3, 5, 7, 9] exist."}, "7");
  EXPECT_EQ(central, "we use the method of [this] in our tests [textual] ");
  std::vector<SentenceModel::Example> examples;
  for (int i = 0; i < 20; ++i) {
    examples.push_back({central, 1, 1});
    examples.push_back({passing, 0, 1});
  }
  const auto model = SentenceModel::train(examples);
  EXPECT_GT(model.score(central), 1);
  EXPECT_LT(model.score(passing), -1);
  const std::string bytes = model.to_bytes();
  EXPECT_EQ(SentenceModel::from_bytes(bytes).score(central), model.score(central));
  for (const std::string& bad : {std::string(), bytes.substr(1), bytes + "x", std::string(bytes.size(), 'x')})
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(SentenceModel::from_bytes(bad)); }),
              ErrorCode::corrupt);
}

TEST(LocalJudge, LearnsWhatWordingAndSectionsSay) {
  const auto instances = made_up(80);
  const auto trained = trained_on(instances);
  const auto quality = measure(instances, trained.held_out);
  EXPECT_GT(quality.type1_kappa, 0.95);
  EXPECT_GT(quality.type2_kappa, 0.6);
  const auto verdict = trained.judge.judge(instances[0]);
  EXPECT_EQ(verdict.type1_value, 1);
  EXPECT_GE(verdict.type2_value, 4);
  double sum = 0;
  for (const double p : verdict.type2) sum += p;
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(LocalJudge, TrainingTwiceGivesTheSameModelFiles) {
  const testing::TempFolder folder;
  for (const char* name : {"one", "two"}) trained_on(made_up(60)).judge.save(folder / name, "{}");
  EXPECT_EQ(io::read_file(folder / "one" / "model.json"), io::read_file(folder / "two" / "model.json"));
  EXPECT_EQ(io::read_file(folder / "one" / "sentences.bin"), io::read_file(folder / "two" / "sentences.bin"));
  const auto loaded = LocalJudge::load(folder / "one");
  const auto instance = made_up(1)[0];
  EXPECT_DOUBLE_EQ(loaded.judge(instance).type1, trained_on(made_up(60)).judge.judge(instance).type1);
}

TEST(LocalJudge, RefusesMissingForeignAndMixedFiles) {
  const testing::TempFolder folder;
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(LocalJudge::load(folder / "none")); }),
            ErrorCode::not_found);
  trained_on(made_up(60)).judge.save(folder / "one", "{}");
  const auto file = folder / "one" / "model.json";
  const std::string good = io::read_file(file);
  for (const std::string& bad : {std::string("{"), std::string("{}"), good.substr(0, good.size() / 2)}) {
    io::write_file_atomically(file, bad);
    EXPECT_EQ(testing::code_of([&] { static_cast<void>(LocalJudge::load(folder / "one")); }),
              ErrorCode::corrupt);
  }
  io::write_file_atomically(file, good);
  const std::string sentences = io::read_file(folder / "one" / "sentences.bin");
  io::write_file_atomically(folder / "one" / "sentences.bin", sentences.substr(1) + "x");
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(LocalJudge::load(folder / "one")); }),
            ErrorCode::corrupt);
}

TEST(LocalJudge, RefusesToLearnFromAHandful) {
  EXPECT_EQ(testing::code_of([] { static_cast<void>(trained_on(made_up(20))); }), ErrorCode::invalid_input);
}

TEST(LocalJudge, ShippedModelReadsAndExplainsItself) {
  const auto judge = LocalJudge::load(kShipped);
  EXPECT_TRUE(judge.name().starts_with("local-"));
  const auto instances = made_up(2);
  EXPECT_GT(judge.judge(instances[0]).type1, judge.judge(instances[1]).type1);
  const auto pulls = judge.explain(instances[0]);
  EXPECT_EQ(pulls.size(), feature_names().size());
}

TEST(LocalJudge, ShippedModelAgreesWithJudgedCitations) {
  const auto file = shared() / "data" / "judged.dev.jsonl";
  if (!fs::exists(file)) GTEST_SKIP() << "skipped: no ../shared";
  const auto read = read_instances(file);
  ASSERT_EQ(read.instances.size(), 190U);
  ASSERT_TRUE(read.rejects.empty());
  const auto quality = measure(read.instances, judge_all(read.instances, LocalJudge::load(kShipped), 1));
  EXPECT_GE(quality.type1_kappa, 0.50);
  EXPECT_GE(quality.type1_auc, 0.80);
  EXPECT_GE(quality.type2_kappa, 0.50);
}

TEST(LabelByLocal, CountsAddUpAndASecondCallChangesNothing) {
  const testing::TempFolder folder;
  const auto file = folder / "catalog.sqlite";
  store::Catalog catalog(file, store::Catalog::Mode::create);
  for (const auto& instance : made_up(10)) {
    Citation citation;
    citation.citing = instance.citing;
    citation.cited = PaperId("x");
    citation.marker = "7";
    citation.mentions = instance.mentions;
    if (instance.id != "i9") citation.contexts = instance.contexts;
    catalog.put(citation);
  }
  const auto judge = LocalJudge::load(kShipped);
  SilentProgress progress;
  LocalOptions options;
  options.date = {2024, 6, 1};
  const auto report = label_by_local(catalog, file, judge, options, progress);
  EXPECT_EQ(report.read, 10U);
  EXPECT_EQ(report.labelled, 9U);
  EXPECT_EQ(report.without_context, 1U);
  EXPECT_EQ(catalog.counts().labels, 18U);
  const std::string revision = catalog.revision();
  options.date = {2024, 6, 2};
  const auto again = label_by_local(catalog, file, judge, options, progress);
  EXPECT_EQ(again.known, 9U);
  EXPECT_EQ(again.labelled, 0U);
  EXPECT_EQ(catalog.revision(), revision);
  const auto sets = label_sets(catalog);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].judge, "local");
  EXPECT_EQ(sets[0].model, judge.name());
  EXPECT_EQ(sets[0].definition, kRubric);
}

TEST(PairLabels, NameTheLineThatIsWrong) {
  const testing::TempFolder folder;
  io::write_file_atomically(folder / "l.tsv", "citing_id\tcited_id\ttype1\ttype2\na\tb\t1\t4\na\tc\t1\t9\n");
  try {
    static_cast<void>(read_pair_labels(folder / "l.tsv"));
    FAIL() << "took a 9";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("line 3"), std::string::npos);
  }
}

TEST(CitationFunctions, MapToCentralAndNot) {
  const testing::TempFolder folder;
  const std::string text =
      "First words. We use the tagger of (Hen, 1999) here. Others exist (Ox, 2001). Later.";
  const auto at = [&](const char* what) { return std::to_string(text.find(what)); };
  io::write_file_atomically(folder / "p.txt", text);
  io::write_file_atomically(folder / "p.ann", "T1\tUses-Tool " + at("Hen") + " " + at(") here") +
                                                  "\tHen, 1999\nT2\tBackground " + at("Ox") + " " +
                                                  at("). Later") + "\tOx, 2001\nT3\tUnknown 0 5\tFirst\n" +
                                                  "T4\tUses-Data 90 9000\tbeyond\nA1\tIs-Perfunctory T2\n");
  const auto examples = read_citation_functions(folder.path());
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].label, 1);
  EXPECT_NE(examples[0].tokens.find("we use the tagger of"), std::string::npos);
  EXPECT_EQ(examples[0].tokens.find("first"), std::string::npos);
  EXPECT_EQ(examples[1].label, 0);
  EXPECT_EQ(testing::code_of(
                [&] { static_cast<void>(read_citation_functions(MUSTCITE_SOURCE_DIR "/data/models")); }),
            ErrorCode::not_found);
}

}  // namespace
}  // namespace mustcite::annotate
