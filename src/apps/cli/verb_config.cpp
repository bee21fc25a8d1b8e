#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/context.hpp"
#include "apps/cli/table.hpp"

namespace mustcite::cli {
namespace {

const char* origin_name(Config::Origin origin) {
  switch (origin) {
    case Config::Origin::built_in:
      return "default";
    case Config::Origin::file:
      return "file";
    case Config::Origin::environment:
      return "environment";
    case Config::Origin::flag:
      return "flag";
  }
  return "";
}

int run_config(const Context& context) {
  if (context.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const auto& setting : Config::known()) {
      const auto& value = context.config().value(setting.name);
      json[setting.name] = {{"value", value.text},
                            {"origin", origin_name(value.origin)},
                            {"default", setting.default_value},
                            {"meaning", setting.meaning}};
    }
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  Table table;
  for (const char* title : {"setting", "value", "from", "meaning"}) table.add_column(title);
  for (const auto& setting : Config::known()) {
    const auto& value = context.config().value(setting.name);
    table.add_row({setting.name, value.text, origin_name(value.origin), setting.meaning});
  }
  fmt::print("{}", table.render());
  return 0;
}

}  // namespace

void add_config(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("config", "Show every setting, its value and where the value comes from");
  verb->add_flag("--json", context.json, "JSON instead of a table");
  verb->callback([&context, &action] { action = [&context] { return run_config(context); }; });
}

}  // namespace mustcite::cli
