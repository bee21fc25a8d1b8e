#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/paragraph_benchmark.hpp"
#include "apps/cli/verb_paragraphs.hpp"
#include "core/io/file.hpp"
#include "core/schema/trec.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string file;
  std::string release;
  std::string split = "dev";
  std::string index;
  std::string out;
};

std::string query_line(const rank::Query& query, bool with_topic) {
  nlohmann::ordered_json json{{"id", query.id.str()}, {"title", query.title}, {"abstract", query.abstract}};
  if (with_topic) json["topic"] = query.topic;
  if (query.before) json["before"] = format_date(*query.before);
  json["exclude"] = nlohmann::ordered_json::array();
  for (const auto& paper : query.exclude) json["exclude"].push_back(paper.str());
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run_queries(const Context& context, const Flags& flags) {
  const auto release = release_folder(context, flags.release);
  const auto snapshot = snapshot::Snapshot::open(index_folder(context, flags.index, flags.release));
  const auto benchmark = read_benchmark(flags.file, release, flags.split, snapshot);
  std::string lines;
  std::string plain;
  std::string topic;
  std::vector<Qrel> cited;
  std::vector<Qrel> related;
  for (const auto& query : benchmark.queries) {
    lines += paragraph::to_json_line(query.paragraph) + "\n";
    plain += query_line(query.query, false);
    topic += query_line(query.query, true);
    for (const DocId doc : query.relevant) {
      const Qrel qrel{query.query.id, PaperId(std::string(snapshot.document(doc).id)), 1};
      cited.push_back(qrel);
      if (query.paragraph.kind == paragraph::Kind::related_work) related.push_back(qrel);
    }
  }
  const fs::path out(flags.out);
  fs::create_directories(out);
  io::write_file_atomically(out / "paragraphs.jsonl", lines);
  io::write_file_atomically(out / "plain.jsonl", plain);
  io::write_file_atomically(out / "topic.jsonl", topic);
  write_qrels(out / "cited.qrels", cited);
  write_qrels(out / "related.qrels", related);
  if (context.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"paragraphs", benchmark.paragraphs},
                                              {"queries", benchmark.queries.size()},
                                              {"of_other_papers", benchmark.of_other_papers},
                                              {"without_relevant", benchmark.without_relevant},
                                              {"rejected", benchmark.rejected},
                                              {"cited", cited.size()},
                                              {"cited_in_related_work", related.size()}}
                           .dump());
    return 0;
  }
  fmt::print(
      "{}: {} paragraphs = {} queries + {} of other papers + {} that cite nothing of the corpus; {} lines "
      "rejected; {} "
      "cited papers, {} of them in related work\n",
      out.string(), benchmark.paragraphs, benchmark.queries.size(), benchmark.of_other_papers,
      benchmark.without_relevant, benchmark.rejected, cited.size(), related.size());
  return 0;
}

}  // namespace

void add_paragraphs_queries(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("queries", "Queries and judgements of the paragraphs of a release's split");
  auto flags = std::make_shared<Flags>();
  verb->add_option("paragraphs", flags->file, "Paragraphs: JSONL")->required();
  verb->add_option("--release", flags->release, "Release whose queries the papers are")->required();
  verb->add_option("--split", flags->split, "Split of the release (default: dev)");
  verb->add_option("--index", flags->index, "Index folder (default: the release's)");
  verb->add_option("--out", flags->out,
                   "Folder for paragraphs.jsonl, plain.jsonl, topic.jsonl, cited.qrels and related.qrels")
      ->required();
  verb->add_flag("--json", context.json, "Print the counts as JSON");
  verb->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_queries(context, *flags); }; });
}

}  // namespace mustcite::cli
