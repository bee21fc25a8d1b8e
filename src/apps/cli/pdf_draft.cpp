#include "apps/cli/pdf_draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_set>

#include "apps/cli/extracted.hpp"
#include "core/base/error.hpp"
#include "stages/extract/extract.hpp"

namespace mustcite::cli {
namespace {

audit::SectionKind audit_kind(extract::SectionKind kind, const std::string& heading) {
  switch (kind) {
    case extract::SectionKind::abstract:
      return audit::SectionKind::abstract;
    case extract::SectionKind::introduction:
      return audit::SectionKind::introduction;
    case extract::SectionKind::related_work:
      return audit::SectionKind::related_work;
    case extract::SectionKind::method:
      return audit::SectionKind::method;
    case extract::SectionKind::experiments:
      return audit::SectionKind::experiments;
    case extract::SectionKind::discussion:
      return audit::SectionKind::discussion;
    case extract::SectionKind::conclusion:
      return audit::SectionKind::conclusion;
    case extract::SectionKind::appendix:
      return audit::SectionKind::appendix;
    case extract::SectionKind::other:
      break;
  }
  return audit::section_kind(heading);
}

audit::SourcePosition place(const extract::Document& document, const extract::Box& box) {
  return {document.provenance.source, 0, box.page};
}

/// What a reader calls the entry by.
std::string name_of(const extract::ReferenceEntry& entry, std::size_t number) {
  if (!entry.label.empty()) return entry.label;
  if (entry.fields.authors.empty() || entry.fields.year == 0) return fmt::format("reference {}", number + 1);
  const std::string& author = entry.fields.authors.front();
  const std::size_t space = author.rfind(' ');
  std::string name =
      fmt::format("{} {}", space == std::string::npos ? author : author.substr(space + 1), entry.fields.year);
  if (entry.year_letter != 0) name += entry.year_letter;
  return name;
}

class DraftMaker {
 public:
  explicit DraftMaker(const extract::Document& document) : document_(document) {
    draft_.format = audit::DraftFormat::pdf;
    draft_.main_file = document.provenance.source;
    draft_.files = {document.provenance.source};
    draft_.title = document.title;
    draft_.authors = document.authors;
    draft_.abstract = document.abstract;
    draft_.text = document.text;
    draft_.printed_bibliography = true;
  }

  audit::Draft make() {
    sections();
    bibliography();
    mentions();
    for (const auto& problem : document_.problems)
      draft_.note(document_.provenance.source, 0, problem.message);
    return std::move(draft_);
  }

 private:
  void sections() {
    for (const auto& from : document_.sections) {
      audit::Section section;
      section.title = from.heading;
      section.path = fmt::format("{}", fmt::join(from.path, " > "));
      section.level = static_cast<int>(std::max<std::size_t>(1, from.path.size()));
      section.kind = audit_kind(from.kind, from.heading);
      section.begin = from.span.begin;
      section.end = from.span.end;
      section.where = {document_.provenance.source, 0};
      draft_.sections.push_back(std::move(section));
    }
  }

  std::string unused(std::string key) {
    const std::string plain = key;
    for (int twin = 2; !used_.insert(key).second; ++twin) key = fmt::format("{} ({})", plain, twin);
    return key;
  }

  void add(const Reference& work, std::string key, const extract::ReferenceEntry& entry) {
    audit::BibEntry item;
    item.reference = work;
    item.reference.key = std::move(key);
    item.type = "list";
    item.note = work.venue;
    item.where = place(document_, entry.box);
    draft_.bibliography.push_back(std::move(item));
  }

  void bibliography() {
    for (std::size_t i = 0; i < document_.references.size(); ++i) {
      const auto& entry = document_.references[i];
      const std::string name = name_of(entry, i);
      keys_.emplace_back();
      for (std::size_t part = 0; part < std::max<std::size_t>(1, entry.parts.size()); ++part) {
        std::string key = unused(
            entry.parts.empty() ? name : fmt::format("{}({})", name, static_cast<char>('a' + part % 26)));
        keys_.back().push_back(key);
        add(entry.parts.empty() ? entry.fields : entry.parts[part], std::move(key), entry);
      }
    }
  }

  void mentions() {
    std::size_t sentence = 0;
    const auto& sentences = document_.sentences;
    for (const auto& from : document_.mentions) {
      while (sentence + 1 < sentences.size() && sentences[sentence].end <= from.span.begin) ++sentence;
      const bool inside = sentence < sentences.size() && sentences[sentence].begin <= from.span.begin &&
                          from.span.end <= sentences[sentence].end;
      for (const auto reference : from.references) {
        for (const auto& key : keys_[reference]) {
          audit::DraftMention mention;
          mention.key = key;
          mention.command = document_.style == extract::ReferenceStyle::numeric ? "[n]" : "(name, year)";
          mention.begin = from.span.begin;
          mention.end = from.span.end;
          mention.section = from.section;
          mention.sentence_begin = inside ? sentences[sentence].begin : from.span.begin;
          mention.sentence_end = inside ? sentences[sentence].end : from.span.end;
          mention.where = place(document_, from.box);
          draft_.mentions.push_back(std::move(mention));
        }
      }
    }
  }

  const extract::Document& document_;
  audit::Draft draft_;
  std::vector<std::vector<std::string>> keys_;  ///< by reference
  std::unordered_set<std::string> used_;
};

}  // namespace

audit::Draft draft_of(const extract::Document& document) {
  return DraftMaker(document).make();
}

audit::PdfReader pdf_draft_reader(const Context& context) {
  return [&context](const std::filesystem::path& file) {
    const auto labeller = reference_labeller(context);
    extract::Options options;
    options.worker = worker_options(context);
    options.labeller = labeller.get();
    extract::WorkerPool pool(options.worker);
    const auto document = extract::read_pdf(file, options, pool);
    for (const auto& problem : document.problems) {
      if (problem.kind == extract::ProblemKind::needs_nougat)
        fail(ErrorCode::invalid_input, "reading the draft {}: {}; give its sources, or a PDF with text",
             file.string(), problem.message);
    }
    return draft_of(document);
  };
}

}  // namespace mustcite::cli
