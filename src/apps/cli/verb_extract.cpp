#include <fmt/format.h>

#include "apps/cli/context.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "stages/extract/extract.hpp"
#include "stages/extract/view.hpp"

namespace mustcite::cli {
namespace {

struct Flags {
  std::vector<std::string> files;
  std::string link_annotations = "on";
  std::string html;
  bool explain = false;
  extract::Options options;
};

std::string problems_text(const extract::Document& document) {
  std::string text;
  for (const auto& problem : document.problems) text += (text.empty() ? "" : "; ") + problem.message;
  return text;
}

int run_extract(Context& context, Flags flags) {
  if ((flags.explain || !flags.html.empty()) && flags.files.size() != 1) {
    fail(ErrorCode::usage, "--explain and --html show one file: give one");
  }
  flags.options.link_annotations = flags.link_annotations == "on";
  flags.options.threads = context.threads;
  Table table;
  table.add_column("file");
  for (const char* title : {"pages", "references", "mentions"}) table.add_column(title, Table::Align::right);
  table.add_column("problems");
  std::string shown;
  const std::vector<std::filesystem::path> files(flags.files.begin(), flags.files.end());
  const auto report = extract::extract(
      files, flags.options,
      [&](extract::Document&& document) {
        if (flags.explain) shown = extract::text_view(document);
        if (!flags.html.empty()) io::write_file_atomically(flags.html, extract::html_view(document));
        table.add_row({document.provenance.source, std::to_string(document.provenance.pages), std::to_string(document.references.size()),
                       std::to_string(document.mentions.size()), cut_to(problems_text(document), 60)});
      },
      context.progress());
  fmt::print("{}", flags.explain ? shown : table.render());
  for (const auto& item : report.ledger) log::warning("{}: {}", item.source, item.reason);
  if (report.rejected == report.files) fail(ErrorCode::invalid_input, "none of the files could be read");
  return 0;
}

}  // namespace

void add_extract(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("extract", "Read PDFs: what each cites, where and how often");
  auto flags = std::make_shared<Flags>();
  verb->add_option("files", flags->files, "PDF files")->required();
  verb->add_option("--link-annotations", flags->link_annotations, "Use the links and destinations of the file: on or off")
      ->check(CLI::IsMember({"on", "off"}));
  verb->add_option("--min-confidence", flags->options.min_confidence, "Drop mentions below this")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_flag("--explain", flags->explain, "Print the text of one file with every mention marked");
  verb->add_option("--html", flags->html, "Write one file as a page, mentions coloured by confidence");
  verb->callback([&context, &action, flags] { action = [&context, flags] { return run_extract(context, *flags); }; });
}

}  // namespace mustcite::cli
