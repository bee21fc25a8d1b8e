#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/paper.hpp"
#include "core/store/catalog.hpp"

namespace mustcite::annotate {

/// What one rater said of an instance.
struct Rating {
  std::string annotator;
  std::optional<int> type1;
  std::optional<int> type2;
  std::string note;
};

/// One citation to be judged: who cites whom, and every place where it happens.
struct Instance {
  std::string id;  ///< unique in its set
  PaperId citing;
  PaperId cited;
  std::string citing_title;
  std::string citing_venue;
  int citing_year = 0;
  std::string cited_title;
  int cited_year = 0;
  std::string cited_as;         ///< the marker as printed, e.g. "18" or "Fox 2008"
  std::optional<int> mentions;  ///< as in Citation
  std::vector<CitationContext> contexts;
  std::vector<Rating> ratings;  ///< of people or judges that the file brings along
};

/// One line of instances JSONL (docs/formats/instances.md), without line end.
[[nodiscard]] std::string to_json_line(const Instance& instance);
/// Throws invalid_input, saying what is missing or of the wrong type.
[[nodiscard]] Instance instance_from_json(std::string_view line);

/// What reading a file of instances gave: instances + rejects == lines that are not blank.
struct InstanceFile {
  std::vector<Instance> instances;
  std::vector<store::Reject> rejects;
};
/// Reads JSONL, plain or compressed. A line that is no instance, or repeats an id, is a reject.
[[nodiscard]] InstanceFile read_instances(const std::filesystem::path& file);

/// Every citation of the catalog as an instance, ascending by citing and cited id. The id is `CITING>CITED`.
/// Titles of papers that the catalog lacks are empty.
void each_instance(const store::Catalog& catalog, const std::function<void(Instance&&)>& visit);

/// `CITING>CITED`.
[[nodiscard]] std::string pair_id(const PaperId& citing, const PaperId& cited);

/// How often it is mentioned: as counted, else by the contexts at hand; at least once.
[[nodiscard]] int mentions_of(const Instance& instance) noexcept;

}  // namespace mustcite::annotate
