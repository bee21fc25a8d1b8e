#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/rank/view.hpp"

namespace mustcite::recommend {

/// One draft from a file or from standard input ("-"): JSON with `title`, `abstract` and the optional fields of
/// `read_queries`, or plain text: the first non-empty line is the title, the rest the abstract.
/// Throws invalid_input when it holds neither a title nor an abstract, or is larger than 8 MiB.
[[nodiscard]] rank::Query read_draft(const std::filesystem::path& path);

/// Queries of a JSONL file (.gz and .zst too): `{id|_id, title, abstract|text, topic?, venue?, before?|year?, exclude?[], known?[],
/// authors?[]}`; authors are for drafts, queries of a benchmark have none.
/// `year` alone means: as of that year. Throws invalid_input naming file and line for a broken or empty query and for
/// an id that stands twice.
[[nodiscard]] std::vector<rank::Query> read_queries(const std::filesystem::path& path);

/// The queries of one split of a release folder, each as of its own year.
/// Throws not_found when the release has no such split, naming those it has.
[[nodiscard]] std::vector<rank::Query> read_release_queries(const std::filesystem::path& folder,
                                                            const std::string& split);

}  // namespace mustcite::recommend
