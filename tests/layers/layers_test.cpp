// The floors of the house: every include between rooms is allowed by src/LAYERS, and LAYERS has no cycle.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Layers = std::map<std::string, std::set<std::string>>;

const fs::path kSource = fs::path(MUSTCITE_SOURCE_DIR) / "src";

Layers read_layers() {
  Layers layers;
  std::ifstream in(kSource / "LAYERS");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto colon = line.find(':');
    std::istringstream rest(line.substr(colon + 1));
    auto& allowed = layers[line.substr(0, colon)];
    for (std::string room; rest >> room;) allowed.insert(room);
  }
  return layers;
}

/// `core/io` for `core/io/file.hpp` and for `core/io/deep/file.hpp`; empty for headers outside the rooms.
std::string room_of(const std::string& path, const Layers& layers) {
  for (const auto& [room, allowed] : layers) {
    if (path.starts_with(room + "/")) return room;
  }
  return {};
}

struct Include {
  std::string file;
  std::string from;
  std::string to;
};

std::vector<Include> includes(const Layers& layers) {
  static const std::regex kInclude(R"re(^\s*#\s*include\s+"([^"]+)")re");
  std::vector<Include> found;
  for (const auto& entry : fs::recursive_directory_iterator(kSource)) {
    const auto extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cpp") continue;
    const std::string file = fs::relative(entry.path(), kSource).string();
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, kInclude)) continue;
      const std::string target = match[1];
      if (target.starts_with("mustcite/")) continue;
      found.push_back({file + ": " + target, room_of(file, layers), room_of(target, layers)});
    }
  }
  return found;
}

TEST(Layers, EverySourceFileLivesInARoomNamedInLayers) {
  const auto layers = read_layers();
  ASSERT_FALSE(layers.empty());
  for (const auto& entry : fs::recursive_directory_iterator(kSource)) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    const std::string file = fs::relative(entry.path(), kSource).string();
    EXPECT_FALSE(room_of(file, layers).empty()) << file << " is in no room of src/LAYERS";
  }
}

TEST(Layers, IncludesGoOnlyWhereLayersAllows) {
  const auto layers = read_layers();
  for (const auto& include : includes(layers)) {
    ASSERT_FALSE(include.to.empty()) << include.file << " names no room: include by path from src/";
    if (include.from == include.to) continue;
    EXPECT_TRUE(layers.at(include.from).contains(include.to)) << include.file << " is not allowed by src/LAYERS";
  }
}

TEST(Layers, HaveNoCycle) {
  const auto layers = read_layers();
  std::map<std::string, int> state;  // 1: on the path, 2: done
  std::function<bool(const std::string&)> acyclic = [&](const std::string& room) {
    if (state[room] == 1) return false;
    if (state[room] == 2) return true;
    state[room] = 1;
    for (const auto& next : layers.at(room)) {
      if (!layers.contains(next) || !acyclic(next)) return false;
    }
    state[room] = 2;
    return true;
  };
  for (const auto& [room, allowed] : layers) EXPECT_TRUE(acyclic(room)) << room;
}

TEST(Layers, StagesNeverIncludeEachOtherAndTheJudgeDoesNotKnowTheContestant) {
  for (const auto& [room, allowed] : read_layers()) {
    for (const auto& other : allowed) {
      EXPECT_FALSE(room.starts_with("stages/") && other.starts_with("stages/")) << room << " -> " << other;
      EXPECT_FALSE(room.starts_with("core/") && !other.starts_with("core/")) << room << " -> " << other;
      EXPECT_FALSE(room.starts_with("engine/") && other.starts_with("apps/")) << room << " -> " << other;
    }
  }
  const auto layers = read_layers();
  EXPECT_FALSE(layers.at("engine/evaluate").contains("engine/recommend"));
  EXPECT_FALSE(layers.at("engine/recommend").contains("engine/evaluate"));
}

TEST(Layers, PublicHeadersShowNoThirdPartyType) {
  static const std::regex kSystem(R"re(^\s*#\s*include\s+<([^>]+)>)re");
  for (const auto& entry : fs::directory_iterator(fs::path(MUSTCITE_SOURCE_DIR) / "include" / "mustcite")) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, kSystem)) continue;
      EXPECT_EQ(match[1].str().find_first_of("/."), std::string::npos) << entry.path() << " includes " << match[1];
    }
  }
}

}  // namespace
