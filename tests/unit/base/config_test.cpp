#include "core/base/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/base/error.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite {
namespace {

using testing::code_of;
using testing::TempFolder;

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::filesystem::path write(const TempFolder& scratch, const std::string& text) {
  std::ofstream(scratch / "mustcite.toml") << text;
  return scratch / "mustcite.toml";
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Config, TableIsSortedAndExplainsEverySetting) {
  const auto& known = Config::known();
  ASSERT_FALSE(known.empty());
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_FALSE(known[i].meaning.empty()) << known[i].name;
    if (i > 0) {
      EXPECT_LT(known[i - 1].name, known[i].name);
    }
  }
}

TEST(Config, LaterPlacesWinAndAreRemembered) {
  const TempFolder scratch;
  Config config;
  EXPECT_EQ(config.number("index.k1"), 1.5);
  EXPECT_EQ(config.value("index.k1").origin, Config::Origin::built_in);
  config.load_file(write(scratch, "[index]\nk1 = 0.9\nanalyzer = \"plain\"\n"));
  EXPECT_EQ(config.number("index.k1"), 0.9);
  EXPECT_EQ(config.value("index.k1").origin, Config::Origin::file);
  const Variable variable("MUSTCITE_INDEX_K1", "1.2");
  config.load_environment();
  EXPECT_EQ(config.number("index.k1"), 1.2);
  EXPECT_EQ(config.value("index.k1").origin, Config::Origin::environment);
  config.set("index.k1", "2");
  EXPECT_EQ(config.number("index.k1"), 2.0);
  EXPECT_EQ(config.value("index.k1").origin, Config::Origin::flag);
  EXPECT_EQ(config.text("index.analyzer"), "plain");
  EXPECT_EQ(config.number("index.b"), 0.75);
}

TEST(Config, ReadsDottedKeysAndTables) {
  const TempFolder scratch;
  Config config;
  config.load_file(write(scratch, "index.b = 0.4\n[http]\ntimeout_s = 7\n"));
  EXPECT_EQ(config.number("index.b"), 0.4);
  EXPECT_EQ(config.integer("http.timeout_s"), 7);
}

TEST(Config, RefusesUnknownKeysNamingTheNearest) {
  const TempFolder scratch;
  Config config;
  const auto file = write(scratch, "[index]\nb = 0.5\nanalyser = \"plain\"\n");
  const auto message = message_of([&] { config.load_file(file); });
  EXPECT_NE(message.find("index.analyzer"), std::string::npos) << message;
  EXPECT_NE(message.find("line 3"), std::string::npos) << message;
  EXPECT_EQ(code_of([&] { config.load_file(file); }), ErrorCode::invalid_input);
  EXPECT_NE(message_of([&] { config.set("analyzer", "plain"); }).find("index.analyzer"), std::string::npos);
  EXPECT_EQ(message_of([&] { config.set("colour-of-the-sky", "blue"); }).find("did you mean"),
            std::string::npos);
}

TEST(Config, RefusesBrokenTomlWithItsLine) {
  const TempFolder scratch;
  Config config;
  const auto file = write(scratch, "[index]\nb = = 3\n");
  EXPECT_NE(message_of([&] { config.load_file(file); }).find("line 2"), std::string::npos);
  EXPECT_EQ(code_of([&] { config.load_file(scratch / "none.toml"); }), ErrorCode::not_found);
  EXPECT_EQ(code_of([&] { config.load_file(write(scratch, "index.k1 = [1, 2]\n")); }),
            ErrorCode::invalid_input);
}

TEST(Config, RefusesTextWhereANumberIsWantedNamingTheOrigin) {
  const TempFolder scratch;
  Config config;
  EXPECT_NE(message_of([&] { config.set("index.k1", "high"); }).find("--set"), std::string::npos);
  EXPECT_EQ(code_of([&] { config.set("index.k1", "nan"); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { config.set("recommend.depth", "1.5"); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { config.set("recommend.depth", ""); }), ErrorCode::invalid_input);
  const Variable variable("MUSTCITE_RECOMMEND_DEPTH", "many");
  EXPECT_NE(message_of([&] { config.load_environment(); }).find("MUSTCITE_RECOMMEND_DEPTH"),
            std::string::npos);
  EXPECT_EQ(config.integer("recommend.depth"), 20) << "a refused value changes nothing";
}

TEST(Config, RefusesVariablesThatLookLikeSettingsOnly) {
  Config config;
  {
    const Variable variable("MUSTCITE_WORKSPACE", "somewhere");
    EXPECT_EQ(code_of([&] { config.load_environment(); }), std::nullopt);
  }
  const Variable variable("MUSTCITE_INDEX_ANALYSER", "plain");
  EXPECT_NE(message_of([&] { config.load_environment(); }).find("MUSTCITE_INDEX_ANALYZER"),
            std::string::npos);
}

TEST(NearestName, CountsEditsAndStaysSilentWhenNothingIsNear) {
  const std::vector<std::string> known{"bm25", "citance", "neighbours"};
  EXPECT_EQ(nearest_name("bm52", known), "bm25");
  EXPECT_EQ(nearest_name("neighbors", known), "neighbours");
  EXPECT_EQ(nearest_name("transformers", known), std::nullopt);
  EXPECT_EQ(nearest_name("x", {}), std::nullopt);
}

}  // namespace
}  // namespace mustcite
