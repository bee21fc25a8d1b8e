#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "apps/reproduce/tables/render.hpp"
#include "apps/reproduce/tables/table.hpp"
#include "core/io/file.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::reproduce {

/// A release of three queries, and a program in place of mustcite: `recommend --method M --run FILE` copies
/// `answers/M.trec` and writes a line to `calls`; without such a file it fails.
///
/// Type III: q1 → d1, q2 → d2 d3, q3 → d4. The run `bm25` has each first relevant paper first; `other` finds
/// nothing for q1, d2 second for q2, d4 first for q3.
class TableFixture : public ::testing::Test {
 protected:
  TableFixture() {
    for (const char* folder : {"release/qrels/dev", "index", "answers", "models"})
      std::filesystem::create_directories(temp_ / folder);
    write("release/manifest.json", manifest(100));
    write("release/queries.jsonl",
          "{\"_id\":\"q1\",\"title\":\"one\",\"split\":\"dev\"}\n{\"_id\":\"q2\",\"title\":\"two\",\"split\":"
          "\"dev\"}\n"
          "{\"_id\":\"q3\",\"title\":\"three\",\"split\":\"dev\"}\n{\"_id\":\"t1\",\"title\":\"train\","
          "\"split\":\"train\"}\n");
    write("release/qrels/dev/type3.tsv", kHeader + "q1\td1\t1\nq2\td2\t1\nq2\td3\t1\nq3\td4\t1\n");
    write("release/qrels/dev/experiments.tsv", kHeader + "q2\td3\t1\n");
    write("index/index.json", "{}");
    write("answers/bm25.trec", "q1 Q0 d1 1 3 x\nq2 Q0 d2 1 3 x\nq2 Q0 d3 2 2 x\nq3 Q0 d4 1 3 x\n");
    write("answers/other.trec", "q1 Q0 d9 1 3 x\nq2 Q0 d9 1 3 x\nq2 Q0 d2 2 2 x\nq3 Q0 d4 1 3 x\n");
    write("program", "#!/bin/sh\necho \"$*\" >> \"" + (temp_ / "calls").string() +
                         "\"\nwhile [ $# -gt 0 ]; do case \"$1\" in --run) run=\"$2\";; --method) "
                         "method=\"$2\";; esac; shift; done\n"
                         "cat \"" +
                         (temp_ / "answers").string() +
                         "/$method.trec\" > \"$run.part\" && mv \"$run.part\" \"$run\"\n");
    std::filesystem::permissions(temp_ / "program", std::filesystem::perms::owner_all);
    options_.program = temp_ / "program";
    options_.release = temp_ / "release";
    options_.work = temp_ / "work";
    options_.places = {{"index", (temp_ / "index").string()},
                       {"models", (temp_ / "models").string()},
                       {"ranker", ""},
                       {"plugin", ""},
                       {"data", ""}};
    options_.resamples = 100;
    options_.permutations = 100;
    options_.threads = 1;
  }

  static std::string manifest(int papers) {
    return "{\"format\":\"mustcite-release\",\"name\":\"tiny\",\"config\":{\"pool_years\":\"2000-2021\","
           "\"query_years\":{\"dev\":\"2022\"},\"query_venues\":[]},\"counts\":{\"corpus\":" +
           std::to_string(papers) +
           ",\"evidence\":7,\"splits\":{\"dev\":{\"queries\":3},\"train\":{\"queries\":1}}}}";
  }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((temp_ / name).parent_path());
    std::ofstream(temp_ / name, std::ios::binary) << text;
  }

  /// A method block whose run is `answers/ANSWER.trec`.
  static std::string method(const std::string& name, const std::string& more = "",
                            const std::string& answer = "") {
    return "[[methods]]\nname = \"" + name + "\"\ngroup = \"g\"\nsteps = [[\"recommend\", \"--method\", \"" +
           (answer.empty() ? name : answer) + "\", \"--depth\", \"{depth}\", \"--run\", \"{run}\"]]\n" +
           more + "\n";
  }

  /// A table of Type III with these methods; `more` goes before them.
  TableDefinition table(const std::string& methods, const std::string& more = "") {
    write("t.toml",
          "title = \"T\"\nmetrics = \"MAP,MRR,Recall@1,HR@1\"\nsummary = \"Recall@1\"\nbaseline = \"bm25\"\n"
          "curves = [\"Recall@1,2\"]\n" +
              more +
              "[[tiers]]\nname = \"type3\"\nlabel = \"Type III\"\nqrels = "
              "\"{release}/qrels/{split}/type3.tsv\"\n" +
              methods);
    return load_table(temp_ / "t.toml");
  }

  TableReport make(const TableDefinition& definition) {
    SilentProgress progress;
    made_ = {};
    return make_table(definition, options_, made_, progress);
  }

  /// The mean of a metric of a row in a tier.
  static double mean(const TableReport& report, std::size_t tier, const std::string& row,
                     std::size_t metric) {
    for (std::size_t r = 0; r < report.tiers.at(tier).rows.size(); ++r) {
      if (report.rows[report.tiers[tier].rows[r]].name == row)
        return report.tiers[tier].values.cell(r, metric).mean;
    }
    ADD_FAILURE() << row << " has no values";
    return -1;
  }

  [[nodiscard]] std::size_t calls() const {
    if (!std::filesystem::exists(temp_ / "calls")) return 0;
    const std::string text = io::read_file(temp_ / "calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  static std::string text(const TableReport& report, TableFormat format,
                          const PublishedCheck* check = nullptr) {
    return render_table(report, check, format);
  }

  inline static const std::string kHeader = "query-id\tcorpus-id\tscore\n";
  testing::TempFolder temp_;
  TableOptions options_;
  MadeRuns made_;
};

}  // namespace mustcite::reproduce
