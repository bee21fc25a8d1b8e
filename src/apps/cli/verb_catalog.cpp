#include <fmt/format.h>

#include "apps/cli/context.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/net/download.hpp"
#include "core/store/catalog.hpp"
#include "core/store/pack.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct PackFlags {
  std::string out;
  store::PackOptions options;
  bool without_abstracts = false;
  bool without_contexts = false;
};

struct PullFlags {
  std::string source;
  std::string sha256;
};

void print_info(const store::PackInfo& info) {
  fmt::print("pack {}: {} papers, {} citations, {} citing sentences, {} labels; {:.1f} MB ({:.1f} MB of text)\nsha256 {}\n",
             info.name, info.papers, info.citations, info.contexts, info.labels,
             static_cast<double>(info.payload_bytes) / 1e6, static_cast<double>(info.text_bytes) / 1e6, info.sha256);
}

int run_pack(Context& context, PackFlags flags) {
  const store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_only);
  flags.options.with_abstracts = !flags.without_abstracts;
  flags.options.with_contexts = !flags.without_contexts;
  print_info(store::pack(catalog, flags.out, flags.options, context.progress()));
  return 0;
}

/// The file a pull installs: a local one as it is, anything else fetched into the workspace first.
fs::path fetched(Context& context, const store::Workspace& workspace, const PullFlags& flags) {
  const bool remote = flags.source.find("://") != std::string::npos;
  if (!remote && flags.sha256.empty()) return flags.source;
  net::DownloadOptions options;
  options.sha256 = flags.sha256;
  options.timeout = std::chrono::seconds(context.config().integer("http.timeout_s"));
  options.retries = static_cast<int>(context.config().integer("http.retries"));
  options.max_bytes = static_cast<std::uint64_t>(context.config().integer("http.max_bytes"));
  const auto downloads = workspace.folder() / "downloads";
  fs::create_directories(downloads);
  std::string name = flags.source.substr(0, flags.source.find_first_of("?#"));
  name = name.substr(name.find_last_of('/') + 1);
  const auto destination = downloads / (name.empty() ? "catalog.mcpack" : name);
  net::download(flags.source, destination, options, context.progress());
  return destination;
}

int run_pull(Context& context, const PullFlags& flags) {
  const auto folder = context.workspace_folder();
  const auto workspace = store::Workspace::create(folder);
  const auto file = fetched(context, workspace, flags);
  store::inspect_pack(file);  // refuse a foreign file before a catalog is made for it
  store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::create);
  const auto report = store::install_pack(file, catalog, context.progress());
  print_info(report.info);
  fmt::print("installed into {}: {} added, {} updated, {} unchanged\nnext: mustcite index build\n",
             workspace.folder().string(), report.added, report.updated, report.unchanged);
  return 0;
}

int run_rejects(const Context& context, std::size_t most) {
  const store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_only);
  Table table;
  for (const char* title : {"source", "line", "item", "reason"}) table.add_column(title);
  std::size_t seen = 0;
  catalog.each_reject([&](const store::Reject& reject) {
    if (seen++ < most) table.add_row({reject.source, std::to_string(reject.line), cut_to(reject.item, 40), reject.reason});
  });
  fmt::print("{}", table.render());
  if (seen > most) fmt::print("… and {} more; see --most\n", seen - most);
  return 0;
}

}  // namespace

void add_catalog(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("catalog", "Pack, fetch and inspect whole catalogs");
  verb->require_subcommand(1);

  auto* pack = verb->add_subcommand("pack", "Freeze the catalog into one checksummed file");
  auto pack_flags = std::make_shared<PackFlags>();
  pack->add_option("out", pack_flags->out, "File to write, e.g. ml.mcpack")->required();
  pack->add_option("--name", pack_flags->options.name, "What the pack calls itself");
  pack->add_option("--level", pack_flags->options.level, "Compression")->check(CLI::Range(1, 19));
  pack->add_flag("--without-abstracts", pack_flags->without_abstracts, "Leave abstracts out");
  pack->add_flag("--without-contexts", pack_flags->without_contexts, "Leave citing sentences out");
  pack->callback([&context, &action, pack_flags] { action = [&context, pack_flags] { return run_pack(context, *pack_flags); }; });

  auto* pull = verb->add_subcommand("pull", "Install a pack from a URL or a file; an interrupted one goes on");
  auto pull_flags = std::make_shared<PullFlags>();
  pull->add_option("source", pull_flags->source, "URL or file")->required();
  pull->add_option("--sha256", pull_flags->sha256, "Digest that the file must have");
  pull->callback([&context, &action, pull_flags] { action = [&context, pull_flags] { return run_pull(context, *pull_flags); }; });

  auto* info = verb->add_subcommand("info", "Show what a pack holds");
  auto file = std::make_shared<std::string>();
  info->add_option("file", *file, "Pack")->required();
  info->callback([&action, file] {
    action = [file] {
      print_info(store::inspect_pack(*file));
      return 0;
    };
  });

  auto* rejects = verb->add_subcommand("rejects", "List what imports could not use, and why");
  auto most = std::make_shared<std::size_t>(50);
  rejects->add_option("--most", *most, "How many to list");
  rejects->callback([&context, &action, most] { action = [&context, most] { return run_rejects(context, *most); }; });
}

}  // namespace mustcite::cli
