#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"
#include "engine/paragraph/discourse.hpp"

namespace mustcite::paragraph {

enum class Kind { related_work, introduction, other };
/// `related_work`, `introduction`, `other`.
[[nodiscard]] std::string_view name_of(Kind kind) noexcept;

/// One paragraph of a paper with the works that it cites.
struct Paragraph {
  std::string id;
  PaperId citing;
  int citing_year = 0;  ///< 0: not known
  std::string section;  ///< heading as printed
  Kind kind = Kind::other;
  std::vector<std::string> sentences;  ///< never empty
  std::string topic_sentence;          ///< one of them
  std::vector<PaperId> cited;          ///< by the paragraph, each once, in the order of the text
  std::vector<std::vector<PaperId>> cited_by_sentence;  ///< one list a sentence
  std::vector<Discourse> tags;                          ///< one a sentence; empty: not tagged
};

/// A line that is left out, and why.
struct Rejected {
  std::uint64_t line = 0;
  std::string reason;
};

/// lines == paragraphs + rejected, always.
struct ReadReport {
  std::uint64_t lines = 0;
  std::uint64_t paragraphs = 0;
  std::uint64_t rejected = 0;
  std::vector<Rejected> ledger;  ///< the rejected lines, in order
};

/// Reads paragraphs, one JSON object a line (.gz and .zst too), in either of two schemas: ours
/// (docs/formats/paragraphs.md), or CORWA's `{id, paragraph, discourse_tags, span_citation_mapping}`. A line
/// that is neither, and a paragraph without a sentence, is rejected with its reason. Throws not_found, and
/// invalid_input when there is no paragraph at all.
[[nodiscard]] std::vector<Paragraph> read_paragraphs(const std::filesystem::path& file, ReadReport& report);

/// One line of either schema. Throws invalid_input saying what is wrong.
[[nodiscard]] Paragraph parse_paragraph(std::string_view json_line);

/// One line of our schema, without its end. `tags` are left out where there are none.
[[nodiscard]] std::string to_json_line(const Paragraph& paragraph);

/// Sets `topic_sentence` by the tags.
void choose_topic(Paragraph& paragraph);

}  // namespace mustcite::paragraph
