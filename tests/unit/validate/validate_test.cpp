#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <cmath>
#include <future>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/validate/agreement.hpp"
#include "apps/validate/publish.hpp"
#include "apps/validate/sample.hpp"
#include "apps/validate/server.hpp"
#include "apps/validate/study.hpp"
#include "core/io/file.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::validate {
namespace {

using testing::TempFolder;

std::vector<annotate::Instance> citations(std::size_t count) {
  std::vector<annotate::Instance> instances(count);
  for (std::size_t i = 0; i < count; ++i) {
    instances[i].id = "i" + std::to_string(i);
    instances[i].citing_title = "Paper <b>" + std::to_string(i);
    instances[i].cited_title = "Work";
    instances[i].cited_as = "7";
    instances[i].contexts = {{"4 Experiments", "We compare with [7] here."}};
    instances[i].ratings = {{"judge", 1, 5, "secret"}};
  }
  return instances;
}

TEST(Quotas, FollowTheLargestRemaindersExactly) {
  // 10 of 100: shares 4.7, 3.3, 1.5, 0.5; floors 4, 3, 1, 0; two left go to the remainders .7 and then .5
  // (first name).
  const auto found = quotas({{"a", 47}, {"b", 33}, {"c", 15}, {"d", 5}}, 10);
  EXPECT_EQ(found, (std::map<std::string, std::uint64_t>{{"a", 5}, {"b", 3}, {"c", 2}, {"d", 0}}));
  EXPECT_EQ(quotas({{"a", 2}, {"b", 1}}, 9), (std::map<std::string, std::uint64_t>{{"a", 2}, {"b", 1}}));
}

TEST(Draw, KeepsItsQuotasAndItsSeed) {
  const TempFolder folder;
  store::Catalog catalog(folder / "c.sqlite", store::Catalog::Mode::create);
  for (int i = 0; i < 60; ++i) {
    Paper paper;
    paper.id = PaperId("p" + std::to_string(i));
    paper.title = "T";
    paper.venue = i % 3 == 0 ? "uai" : "icml";
    paper.date.year = 2020;
    catalog.put(paper);
    Citation citation;
    citation.citing = paper.id;
    citation.cited = PaperId("p0");
    citation.citing_year = 2020;
    citation.mentions = 1 + i % 2;
    citation.contexts = {{"1 Introduction", "See [1]."}};
    catalog.put(citation);
  }
  SampleOptions options;
  options.size = 12;
  const auto sample = draw(catalog, options);
  ASSERT_EQ(sample.instances.size(), 12U);
  EXPECT_EQ(sample.population, 60U);
  // 20 of uai and 40 of icml, half of each mentioned once: 2, 2, 4, 4.
  EXPECT_EQ(sample.strata,
            (std::map<std::string, std::uint64_t>{
                {"icml 2020 1", 4}, {"icml 2020 2", 4}, {"uai 2020 1", 2}, {"uai 2020 2", 2}}));
  const auto ids = [](const Sample& drawn) {
    std::vector<std::string> result;
    for (const auto& instance : drawn.instances) result.push_back(instance.id);
    return result;
  };
  EXPECT_EQ(ids(draw(catalog, options)), ids(sample));
  options.seed = 2;
  EXPECT_NE(ids(draw(catalog, options)), ids(sample));
}

TEST(Study, AssignsEveryInstanceEvenlyAndHidesLabels) {
  const TempFolder folder;
  Study::create(folder / "s", citations(20), {"ann", "bob", "cid"}, 2, 5);
  const Study study(folder / "s");
  std::vector<int> seen(20, 0);
  for (const auto& rater : study.raters()) {
    EXPECT_GE(rater.items.size(), 13U);
    EXPECT_LE(rater.items.size(), 14U);
    for (const std::size_t item : rater.items) ++seen[item];
  }
  EXPECT_THAT(seen, ::testing::Each(2));
  EXPECT_TRUE(study.instances()[0].ratings.empty());
  EXPECT_EQ(testing::code_of([&] {
              Study::create(folder / "s", citations(2), {"a", "b"}, 2, 1);
            }),
            ErrorCode::usage);
  EXPECT_EQ(testing::code_of([&] { Study::create(folder / "t", citations(2), {"a"}, 2, 1); }),
            ErrorCode::usage);
  EXPECT_EQ(testing::code_of([&] { const Study none(folder / "none"); }), ErrorCode::not_found);
}

TEST(Study, KeepsAnswersUndoesThemAndGoesThroughCsv) {
  const TempFolder folder;
  Study::create(folder / "s", citations(3), {"ann", "bob"}, 2, 5);
  {
    Study study(folder / "s");
    study.save("ann", 0, {1, 4, "a \"quoted\", note\nin lines"});
    study.save("ann", 0, {0, 2, ""});
    study.save("bob", 0, {1, 4, ""});
    EXPECT_EQ(testing::code_of([&] { study.save("ann", 0, {2, 4, ""}); }), ErrorCode::invalid_input);
    EXPECT_EQ(testing::code_of([&] { study.save("ann", 9, {1, 4, ""}); }), ErrorCode::invalid_input);
  }
  Study study(folder / "s");
  EXPECT_EQ(study.answer("ann", 0)->type2, 2);
  EXPECT_EQ(study.rater_of(study.adjudicator_token())->items, std::vector<std::size_t>{0});
  EXPECT_EQ(study.undo("ann"), 0U);
  EXPECT_EQ(study.answer("ann", 0)->type2, 4);
  const std::string csv = study.export_csv();
  Study::create(folder / "other", citations(3), {"ann", "bob"}, 2, 9);
  Study other(folder / "other");
  EXPECT_EQ(other.import_csv(csv), 2U);
  EXPECT_EQ(other.import_csv(csv), 0U);
  EXPECT_EQ(other.export_csv(), csv);
  EXPECT_EQ(other.export_jsonl(), study.export_jsonl());
  EXPECT_EQ(testing::code_of([&] { other.import_csv("nobody,ann,1,4,\n"); }), ErrorCode::invalid_input);
  EXPECT_EQ(study.undo("ann"), 0U);
  EXPECT_FALSE(study.undo("ann").has_value());
}

TEST(Study, TakesAnswersFromInstancesWithLabels) {
  const TempFolder folder;
  Study::create(folder / "s", citations(3), {"ann", "bob"}, 2, 5);
  Study study(folder / "s");
  study.save("ann", 0, {1, 4, "a note"});
  study.save("bob", 2, {0, 1, ""});
  io::write_file_atomically(folder / "answers.jsonl", study.export_jsonl());
  Study::create(folder / "other", citations(3), {"ann", "bob"}, 2, 9);
  Study other(folder / "other");
  EXPECT_EQ(other.import_jsonl(folder / "answers.jsonl"), 2U);
  EXPECT_EQ(other.import_jsonl(folder / "answers.jsonl"), 0U);
  EXPECT_EQ(other.export_jsonl(), study.export_jsonl());
  auto stranger = citations(4);
  stranger[3].ratings = {{"ann", 1, 4, ""}};
  auto half = citations(1);
  half[0].ratings = {{"ann", 1, std::nullopt, ""}};
  for (const std::string& bad :
       {annotate::to_json_line(stranger[3]), annotate::to_json_line(half[0]), std::string("{}")}) {
    io::write_file_atomically(folder / "bad.jsonl", bad + "\n");
    EXPECT_EQ(testing::code_of([&] { other.import_jsonl(folder / "bad.jsonl"); }), ErrorCode::invalid_input)
        << bad;
  }
}

TEST(Publish, AgreedAndAdjudicatedAnswersBecomeLabelsOfPeople) {
  const TempFolder folder;
  store::Catalog catalog(folder / "catalog.sqlite", store::Catalog::Mode::create);
  auto instances = citations(5);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    instances[i].citing = PaperId("p");
    instances[i].cited = PaperId("c" + std::to_string(i));
    if (i == 4) continue;  // the catalog does not hold the last one
    Citation citation;
    citation.citing = instances[i].citing;
    citation.cited = instances[i].cited;
    catalog.put(citation);
  }
  Study::create(folder / "pilot", instances, {"ann", "bob"}, 2, 5);
  Study study(folder / "pilot");
  study.save("ann", 0, {1, 4, ""});  // agree on both
  study.save("bob", 0, {1, 4, ""});
  study.save("ann", 1, {1, 5, ""});  // differ on both, decided
  study.save("bob", 1, {0, 3, ""});
  study.save(kAdjudicator, 1, {0, 4, ""});
  study.save("ann", 2, {1, 4, ""});  // agree on the first only
  study.save("bob", 2, {1, 5, ""});
  study.save("ann", 3, {1, 4, ""});  // one rater is not enough
  study.save("ann", 4, {1, 4, ""});
  study.save("bob", 4, {1, 4, ""});
  const auto report = publish(study, "pilot", catalog, {2024, 5, 6});
  EXPECT_EQ(report.questions, 10U);
  EXPECT_EQ(report.agreed, 3U);
  EXPECT_EQ(report.adjudicated, 2U);
  EXPECT_EQ(report.open, 3U);
  EXPECT_EQ(report.not_in_catalog, 2U);
  std::map<std::string, int> labels;
  catalog.each_label([&](const Label& label) {
    EXPECT_EQ(label.judge, "people");
    EXPECT_EQ(label.model, "pilot");
    EXPECT_EQ(label.definition, kQuestions);
    labels[label.cited.str() + " " + tier_name(label.tier)] = label.value;
  });
  EXPECT_EQ(labels,
            (std::map<std::string, int>{
                {"c0 type1", 1}, {"c0 type2", 4}, {"c1 type1", 0}, {"c1 type2", 4}, {"c2 type1", 1}}));
  const auto revision = catalog.revision();
  publish(study, "pilot", catalog, {2024, 5, 6});
  EXPECT_EQ(catalog.revision(), revision);
}

TEST(CardLines, SayHowFarRatersAndLabelsAgree) {
  auto instances = citations(4);
  const int first[] = {1, 1, 0, 0};
  const int second[] = {1, 0, 0, 0};
  for (std::size_t i = 0; i < 4; ++i)
    instances[i].ratings = {{"ann", first[i], 4, ""}, {"bob", second[i], 4, ""}};
  JudgeValues judge;
  for (std::size_t i = 0; i < 4; ++i) judge[instances[i].id] = {first[i], 4};
  const auto lines = card_lines(measure(instances, judge, {}), "pilot");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "Raters (pilot): 2 raters, 4 citations with two ratings or more.");
  // Three of four agree; alpha by hand: 1 - (2 / 8) / ((2 * 3 * 5) / (8 * 7)) = 0.533.
  EXPECT_THAT(lines[1], ::testing::HasSubstr("Type I alpha 0.533"));
  EXPECT_THAT(lines[1], ::testing::HasSubstr("exact 75.0%"));
  EXPECT_THAT(lines[2], ::testing::HasSubstr("Type I accuracy 1.000"));  // ties count as 1
  EXPECT_EQ(card_lines(measure(instances, {}, {}), "pilot").size(), 2U);
}

TEST(Serve, RatersSeeOnlyTheirOwnAnswers) {
  const TempFolder folder;
  Study::create(folder / "s", citations(4), {"ann", "bob"}, 2, 5);
  Study study(folder / "s");
  std::promise<std::string> address;
  std::atomic<bool> stop{false};
  std::thread server([&] {
    serve(
        study, {"127.0.0.1", 0}, [&](const std::string& url) { address.set_value(url); },
        [&] { return stop.load(); });
  });
  const std::string url = address.get_future().get();
  httplib::Client client(url);
  const auto get = [&](const std::string& path) {
    const auto response = client.Get(path.c_str());
    return response ? std::pair(response->status, response->body) : std::pair(0, std::string());
  };
  const auto post = [&](const std::string& path, const std::string& body) {
    const auto response = client.Post(path.c_str(), body, "application/json");
    return response ? std::pair(response->status, response->body) : std::pair(0, std::string());
  };
  const std::string ann = study.raters()[0].token;
  const std::string bob = study.raters()[1].token;
  EXPECT_EQ(get("/r/" + ann).first, 200);
  EXPECT_EQ(get("/api/00000000000000000000/state").first, 404);
  EXPECT_EQ(post("/api/" + ann + "/item/0", R"({"type1":1,"type2":5,"note":"mine"})").first, 200);
  EXPECT_EQ(post("/api/" + ann + "/item/0", R"({"type1":1,"type2":9})").first, 400);
  EXPECT_EQ(post("/api/" + ann + "/item/0", "no json").first, 400);
  EXPECT_EQ(post("/api/" + ann + "/item/99", R"({"type1":1,"type2":5})").first, 404);
  EXPECT_EQ(post("/api/" + ann + "/item/0", std::string(100000, 'x')).first, 413);
  const auto mine = nlohmann::json::parse(get("/api/" + ann + "/item/0").second);
  EXPECT_EQ(mine["answer"]["note"], "mine");
  EXPECT_EQ(mine["contexts"][0]["parts"][1]["text"], "7");
  EXPECT_EQ(mine["contexts"][0]["parts"][1]["mark"], true);
  for (int i = 0; i < 4; ++i) {
    const std::string theirs = get("/api/" + bob + "/item/" + std::to_string(i)).second;
    EXPECT_EQ(theirs.find("mine"), std::string::npos);
    EXPECT_EQ(theirs.find("secret"), std::string::npos);
    EXPECT_EQ(theirs.find("others"), std::string::npos);
  }
  EXPECT_EQ(nlohmann::json::parse(post("/api/" + ann + "/undo", "{}").second)["position"], 0);
  EXPECT_TRUE(nlohmann::json::parse(get("/api/" + ann + "/item/0").second)["answer"].is_null());
  stop = true;
  server.join();
}

TEST(MeasureAgreement, RederivesThePublishedTableFromRatingsWithItsMarginals) {
  // Two raters, 1,000 instances. Type I: 690 alike (the paper's 69.0 %), of these 519 zeros; disagreements
  // split evenly. Expected by hand: n1 = 171 * 2 + 310 = 652 of 2,000 ratings; alpha = 1 - (n - 1) * 310 * 2
  // / (2 * 652 * 1348) with n = 2,000 = 1 - 1999 * 310 / (652 * 1348) = 0.2949.
  std::vector<annotate::Instance> instances = citations(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const int first = i < 519 ? 0 : i < 690 ? 1 : static_cast<int>(i % 2);
    const int second = i < 690 ? first : 1 - first;
    const int level = 1 + static_cast<int>(i % 5);
    // 271 alike, 366 one apart, the rest further apart: 27.1 % and 63.7 % as published.
    const int other = i < 271      ? level
                      : i < 637    ? (level == 5 ? 4 : level + 1)
                      : level <= 2 ? level + 3
                                   : level - 2;
    instances[i].ratings = {{"a", first, level, ""}, {"b", second, other, ""}};
  }
  Options options;
  options.resamples = 200;
  const auto report = measure(instances, {}, options);
  EXPECT_NEAR(report.type1.exact, 0.690, 1e-12);
  EXPECT_NEAR(report.type1.alpha.value, 1 - 1999.0 * 310 / (652.0 * 1348), 1e-12);
  EXPECT_NEAR(report.type2.exact, 0.271, 1e-12);
  EXPECT_NEAR(report.type2.within_one, 0.637, 1e-12);
  EXPECT_LT(report.type1.alpha.interval.low, report.type1.alpha.value);
  EXPECT_GT(report.type1.alpha.interval.high, report.type1.alpha.value);
  const std::string text = render(report);
  EXPECT_NE(text.find("69.0%"), std::string::npos);
  EXPECT_NE(text.find("27.1%"), std::string::npos);
  EXPECT_NE(text.find("63.7%"), std::string::npos);
}

TEST(MeasureAgreement, ComparesAJudgeWithMajorityMedianAndEachRater) {
  std::vector<annotate::Instance> instances = citations(4);
  const int first[] = {0, 1, 1, 0};
  JudgeValues judge;
  for (std::size_t i = 0; i < 4; ++i) {
    instances[i].ratings = {
        {"a", first[i], 3, ""}, {"b", first[i], 3 + first[i], ""}, {kAdjudicator, 1, 1, ""}};
    judge["i" + std::to_string(i)] = {i == 0 ? 1.0 : first[i], 3.0};
  }
  const auto report = measure(instances, judge, Options{});
  EXPECT_EQ(report.tables.raters, (std::vector<std::string>{"a", "b"}));
  EXPECT_DOUBLE_EQ(report.judge1.accuracy.value, 0.75);
  EXPECT_DOUBLE_EQ(report.judge1.kappa.value, 0.5);
  EXPECT_DOUBLE_EQ(report.judge1.by_rater.at("b"), 0.5);
  EXPECT_DOUBLE_EQ(report.judge2.accuracy.value, 1.0);
  EXPECT_NE(render(report).find("against b"), std::string::npos);
}

}  // namespace
}  // namespace mustcite::validate
