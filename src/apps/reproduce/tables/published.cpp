#include "apps/reproduce/tables/published.hpp"

#include <algorithm>
#include <cmath>

#include "apps/reproduce/toml_reader.hpp"
#include "core/base/error.hpp"

namespace mustcite::reproduce {
namespace {

class PublishedReader : TomlReader {
 public:
  explicit PublishedReader(const std::filesystem::path& file) : TomlReader(file, "published table") {}

  PublishedTable read() {
    const toml::table toml = parse();
    know(toml, {"source", "papers", "queries", "metrics", "tolerance", "rows"});
    table_.source = text(toml, "source");
    table_.papers = static_cast<std::uint64_t>(positive(toml, "papers"));
    table_.queries = static_cast<std::uint64_t>(positive(toml, "queries"));
    table_.metrics = texts(toml, "metrics", Presence::required);
    const auto* tolerance = toml.get_as<toml::table>("tolerance");
    if (tolerance == nullptr) refuse(&toml, "the table 'tolerance' is missing");
    for (const auto& metric : table_.metrics) table_.tolerance[metric] = positive(*tolerance, metric.c_str());
    know(*tolerance, table_.metrics);
    for (const auto& row : array(toml, "rows", Presence::required)) read_row(table_in(row, "rows"));
    return std::move(table_);
  }

 private:
  void read_row(const toml::table& toml) {
    know(toml, {"method", "tier", "values"});
    std::vector<double> values;
    for (const auto& node : array(toml, "values", Presence::required)) {
      const auto value = node.value<double>();
      if (!value || !(*value >= 0 && *value <= 1)) refuse(&node, "a published value lies between 0 and 1");
      values.push_back(*value);
    }
    if (values.size() != table_.metrics.size())
      refuse(toml.get("values"),
             fmt::format("there are {} values for {} metrics", values.size(), table_.metrics.size()));
    auto& slot = table_.rows[text(toml, "method")][text(toml, "tier")];
    if (!slot.empty()) refuse(&toml, "the row stands twice");
    slot = std::move(values);
  }

  PublishedTable table_;
};

/// Why the collection is not the published one; empty when it is.
std::string another_collection(const TableReport& report, const PublishedTable& published) {
  const Collection& here = report.collection;
  if (here.papers != published.papers) {
    return fmt::format("the pool has {} papers, the published one {}", here.papers, published.papers);
  }
  if (here.queries != published.queries)
    return fmt::format("the split has {} queries, the published one {}", here.queries, published.queries);
  if (here.asked != here.queries)
    return fmt::format("only {} of the {} queries were asked", here.asked, here.queries);
  for (const auto& tier : report.tiers) {
    if (tier.is_stand_in) return fmt::format("\"{}\" is a stand-in, not a label", tier.label);
  }
  return "";
}

const TierTable* find_tier(const TableReport& report, const std::string& name) {
  for (const auto& tier : report.tiers) {
    if (tier.name == name && tier.problem.empty()) return &tier;
  }
  return nullptr;
}

/// The row's place in the tier; nothing when it has no values there.
std::optional<std::size_t> find_row(const TableReport& report, const TierTable& tier,
                                    const std::string& published) {
  for (std::size_t r = 0; r < tier.rows.size(); ++r) {
    if (report.rows[tier.rows[r]].published == published) return r;
  }
  return std::nullopt;
}

/// Why a published row has no value here.
std::string reason(const TableReport& report, const std::string& published) {
  for (const auto& row : report.rows) {
    if (row.published != published) continue;
    if (row.state == RowState::unavailable && !row.missing.empty()) return row.missing.front().make;
    if (row.state == RowState::failed) return "its command failed";
  }
  return "no row of the table";
}

}  // namespace

bool ComparedValue::within() const noexcept {
  return std::abs(measured - published) <= tolerance;
}

std::size_t PublishedCheck::off() const noexcept {
  return static_cast<std::size_t>(std::count_if(compared.begin(), compared.end(),
                                                [](const ComparedValue& one) { return !one.within(); }));
}

bool PublishedCheck::passed() const noexcept {
  return not_comparable.empty() && !compared.empty() && off() == 0;
}

PublishedTable load_published(const std::filesystem::path& file) {
  return PublishedReader(file).read();
}

PublishedCheck check_published(const TableReport& report, const PublishedTable& published) {
  PublishedCheck check;
  check.source = published.source;
  check.not_comparable = another_collection(report, published);
  if (!check.not_comparable.empty()) return check;
  for (const auto& [row, tiers] : published.rows) {
    for (const auto& [tier_name, values] : tiers) {
      const TierTable* tier = find_tier(report, tier_name);
      const auto place = tier == nullptr ? std::nullopt : find_row(report, *tier, row);
      if (!place) {
        check.unchecked.push_back(
            fmt::format("{}, {}: {}", row, tier_name,
                        tier == nullptr ? "no judgements of this tier" : reason(report, row)));
        continue;
      }
      for (std::size_t m = 0; m < values.size(); ++m) {
        const auto metric = std::find(report.metrics.begin(), report.metrics.end(),
                                      evaluate::parse_metric(published.metrics[m]));
        if (metric == report.metrics.end()) continue;
        const auto column = static_cast<std::size_t>(metric - report.metrics.begin());
        check.compared.push_back({row, tier->label, published.metrics[m],
                                  tier->values.cell(*place, column).mean, values[m],
                                  published.tolerance.at(published.metrics[m])});
      }
    }
  }
  return check;
}

}  // namespace mustcite::reproduce
