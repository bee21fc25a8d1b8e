#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/cli/context.hpp"
#include "apps/cli/reranking.hpp"
#include "apps/cli/train_baseline.hpp"
#include "apps/cli/train_discourse.hpp"
#include "apps/cli/train_recipe.hpp"
#include "apps/cli/train_references.hpp"
#include "apps/cli/verb_link.hpp"
#include "apps/cli/verb_paragraphs.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/base/threads.hpp"
#include "core/base/version.hpp"

namespace {

using namespace mustcite;

void add_global_options(CLI::App& app, cli::Context& context) {
  app.set_version_flag("--version", std::string("mustcite ") + kVersion);
  app.add_option("-w,--workspace", context.workspace_flag,
                 "Workspace folder (else $MUSTCITE_WORKSPACE, the nearest parent with mustcite.toml, "
                 "~/.local/share/mustcite)");
  app.add_option("--set", context.settings, "Setting for this call, name=value; see `mustcite config`")
      ->allow_extra_args(false);
  app.add_option("--threads", context.threads, "Threads (0: all cores)");
  app.add_flag("-q,--quiet", context.quiet, "No progress, only warnings");
  app.add_flag("-v,--verbose", context.verbose, "More messages");
  app.require_subcommand(1);
  // Global options may stand before or after the verb.
  app.fallthrough();
}

int report(ErrorCode code, const char* message) {
  std::fflush(stdout);
  log::write(log::Level::error, message);
  return exit_code(code);
}

}  // namespace

int main(int argc, char** argv) {
  cli::Context context;
  cli::Action action;
  CLI::App app{"mustcite finds the papers that a piece of research must cite, says why, and proves how well it does it.",
               "mustcite"};
  add_global_options(app, context);
  cli::add_init(app, context, action);
  cli::add_status(app, context, action);
  cli::add_doctor(app, context, action);
  cli::add_config(app, context, action);
  cli::add_collect(app, context, action);
  cli::add_import(app, context, action);
  cli::add_catalog(app, context, action);
  cli::add_index(app, context, action);
  cli::add_recommend(app, context, action);
  cli::add_search(app, context, action);
  cli::add_audit(app, context, action);
  cli::add_extract(app, context, action);
  cli::add_link(app, context, action);
  cli::add_annotate(app, context, action);
  cli::add_validate(app, context, action);
  cli::add_release(app, context, action);
  cli::add_evaluate(app, context, action);
  cli::add_reproduce(app, context, action);
  cli::add_train(app, context, action);
  cli::add_train_references(app, context, action);
  cli::add_train_baselines(app, context, action);
  cli::add_train_discourse(app, context, action);
  cli::add_train_recipe(app, context, action);
  cli::add_train_combination(app, context, action);
  cli::add_paragraphs(app, context, action);
  cli::add_model(app, context, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_code(ErrorCode::usage);
  }
  try {
    catch_interrupts();
    context.prepare();
    const int code = action();
    if (std::fflush(stdout) != 0) fail(ErrorCode::exhausted, "cannot write the answer to standard output");
    return code;
  } catch (const Error& error) {
    return report(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return report(ErrorCode::exhausted, "out of memory: close other programs, or use fewer --threads");
  } catch (const std::exception& error) {
    return report(ErrorCode::internal, error.what());
  }
}
