#include "apps/cli/link_printed.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/extracted.hpp"
#include "apps/cli/table.hpp"
#include "core/base/log.hpp"
#include "core/base/threads.hpp"
#include "core/io/lines.hpp"
#include "core/store/catalog.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::cli {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kMostLineBytes = std::size_t{1} << 20;

/// The fields of a printed reference: rules for identifiers, the labeller for the rest.
Reference read_printed(std::string_view raw, const extract::ReferenceLabeller* labeller) {
  extract::ReferenceEntry entry;
  entry.fields.raw = std::string(raw);
  extract::read_fields_by_rules(entry);
  if (labeller != nullptr) labeller->read_fields(entry);
  return std::move(entry.fields);
}

std::string id_of(const link::LinkIndex& index, const link::Decision& decision) {
  return decision.verdict == link::Verdict::linked ? std::string(index.record(decision.row).id)
                                                   : std::string();
}

std::string line_of(const link::LinkIndex& index, const link::Decision& decision, bool json) {
  if (!json)
    return fmt::format("{}\t{:.3f}\t{}\t{}\n", link::verdict_name(decision.verdict), decision.probability,
                       id_of(index, decision), decision.why);
  nlohmann::ordered_json out;
  out["verdict"] = link::verdict_name(decision.verdict);
  out["probability"] = std::round(decision.probability * 1e6) / 1e6;
  if (decision.verdict == link::Verdict::linked) out["paper_id"] = id_of(index, decision);
  for (const auto& candidate : decision.candidates) {
    if (decision.verdict == link::Verdict::ambiguous)
      out["candidates"].push_back(std::string(index.record(candidate.row).id));
  }
  out["rule"] = link::rule_name(decision.rule);
  out["why"] = decision.why;
  return out.dump() + "\n";
}

}  // namespace

link::LinkIndex catalog_links(const Context& context) {
  const store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_only);
  link::LinkIndexBuilder builder;
  catalog.each_paper([&](const Paper& paper) { builder.add(paper); });
  return builder.build();
}

int link_printed_references(Context& context, const std::string& file, const link::Options& options) {
  const auto labeller = reference_labeller(context);
  const link::LinkIndex index = catalog_links(context);
  io::LineReader lines(file, kMostLineBytes);
  std::size_t counts[3] = {0, 0, 0};
  std::size_t empty = 0;
  std::size_t read = 0;
  std::vector<std::string> block;
  context.progress().begin("link", 0);
  const auto flush = [&] {
    stop_if_interrupted();
    std::vector<std::string> answers(block.size());
    std::vector<link::Verdict> verdicts(block.size());
    parallel_for(block.size(), context.threads, [&](std::size_t i, std::size_t) {
      const auto decision = index.link(read_printed(block[i], labeller.get()), options);
      verdicts[i] = decision.verdict;
      answers[i] = line_of(index, decision, context.json);
    });
    for (std::size_t i = 0; i < block.size(); ++i) {
      ++counts[static_cast<std::size_t>(verdicts[i])];
      fmt::print("{}", answers[i]);
    }
    context.progress().advance(block.size());
    block.clear();
  };
  for (std::string_view line; lines.next(line);) {
    ++read;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      ++empty;
      continue;
    }
    block.emplace_back(line);
    if (block.size() == kBlock) flush();
  }
  flush();
  context.progress().finish();
  log::info("{} lines = {} linked + {} ambiguous + {} unresolved + {} empty", read,
            counts[static_cast<std::size_t>(link::Verdict::linked)],
            counts[static_cast<std::size_t>(link::Verdict::ambiguous)],
            counts[static_cast<std::size_t>(link::Verdict::unresolved)], empty);
  return 0;
}

int link_one_reference(Context& context, const std::string& raw, const link::Options& options) {
  const auto labeller = reference_labeller(context);
  const link::LinkIndex index = catalog_links(context);
  const Reference reference = read_printed(raw, labeller.get());
  const auto decision = index.link(reference, options);
  if (context.json) {
    fmt::print("{}", line_of(index, decision, true));
    return 0;
  }
  fmt::print("title    {}\nauthors  {}\nvenue    {}\nyear     {}\n", reference.title,
             fmt::join(reference.authors, "; "), reference.venue,
             reference.year == 0 ? "" : std::to_string(reference.year));
  if (!reference.doi.empty()) fmt::print("doi      {}\n", reference.doi);
  if (!reference.arxiv_id.empty()) fmt::print("arxiv    {}\n", reference.arxiv_id);
  fmt::print("{}: {}\n", link::verdict_name(decision.verdict), decision.why);
  Table table;
  table.add_column("probability", Table::Align::right);
  for (const char* title : {"paper", "year", "title", "rule"}) table.add_column(title);
  for (const auto& candidate : decision.candidates) {
    const auto record = index.record(candidate.row);
    table.add_row({fmt::format("{:.3f}", candidate.probability), std::string(record.id),
                   std::to_string(record.year), cut_to(std::string(record.title), 70),
                   link::rule_name(candidate.rule)});
  }
  if (!decision.candidates.empty()) fmt::print("{}", table.render());
  return 0;
}

}  // namespace mustcite::cli
