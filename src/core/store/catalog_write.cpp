#include <utility>

#include "core/base/error.hpp"
#include "core/store/catalog_impl.hpp"
#include "core/store/record_digest.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::store {
namespace {

/// Keeps `known` where `incoming` says nothing.
void complete(std::string& incoming, std::string& known) {
  if (incoming.empty()) incoming = std::move(known);
}

Date complete(const Date& incoming, const Date& known) {
  Date merged = incoming;
  if (!merged.known()) return known;
  // "2020" does not contradict "2020-05-12": the parts it leaves open stay known.
  if (merged.year == known.year && merged.month == 0) merged.month = known.month;
  if (merged.year == known.year && merged.month == known.month && merged.day == 0) merged.day = known.day;
  return merged;
}

Paper merge(Paper incoming, Paper known) {
  complete(incoming.title, known.title);
  complete(incoming.abstract, known.abstract);
  if (incoming.authors.empty()) incoming.authors = std::move(known.authors);
  complete(incoming.venue, known.venue);
  incoming.date = complete(incoming.date, known.date);
  complete(incoming.track, known.track);
  complete(incoming.url, known.url);
  complete(incoming.doi, known.doi);
  complete(incoming.arxiv_id, known.arxiv_id);
  return incoming;
}

Citation merge(Citation incoming, Citation known) {
  if (incoming.citing_year == 0) incoming.citing_year = known.citing_year;
  if (!incoming.mentions) incoming.mentions = known.mentions;
  if (!incoming.exp_mentions) incoming.exp_mentions = known.exp_mentions;
  complete(incoming.marker, known.marker);
  if (incoming.contexts.empty()) incoming.contexts = std::move(known.contexts);
  return incoming;
}

void bind_text(Statement& statement, int position, std::string_view text, TextCodec& codec) {
  const auto frame = codec.compress(text);
  if (frame.empty()) {
    statement.bind(position, text);
  } else {
    statement.bind_blob(position, frame);
  }
}

/// Positions 1 to 14 of the insert and the update; runs it, since the bound texts live here.
void write_paper(Statement& statement, const Paper& paper, std::uint64_t digest, TextCodec& codec) {
  const std::string key = text::title_key(paper.title);
  const std::string authors = encode_names(paper.authors);
  statement.bind(1, paper.id.str())
      .bind(2, static_cast<std::int64_t>(digest))
      .bind(3, paper.title)
      .bind(4, key);
  statement.bind(5, authors).bind(6, paper.venue).bind(7, std::int64_t{paper.date.year});
  statement.bind(8, std::int64_t{paper.date.month})
      .bind(9, std::int64_t{paper.date.day})
      .bind(10, paper.track);
  statement.bind(11, paper.url).bind(12, paper.doi).bind(13, paper.arxiv_id);
  bind_text(statement, 14, paper.abstract, codec);
  statement.execute();
}

void write_citation(Statement& statement, const Citation& citation, std::uint64_t digest, TextCodec& codec) {
  const std::string contexts = encode_contexts(citation.contexts);
  statement.bind(1, citation.citing.str())
      .bind(2, citation.cited.str())
      .bind(3, static_cast<std::int64_t>(digest));
  statement.bind(4, std::int64_t{citation.citing_year})
      .bind(5, citation.mentions)
      .bind(6, citation.exp_mentions);
  statement.bind(7, citation.marker).bind(8, static_cast<std::int64_t>(citation.contexts.size()));
  bind_text(statement, 9, contexts, codec);
  statement.execute();
}

void require_id(const PaperId& id, const char* what) {
  if (id.empty())
    fail(ErrorCode::invalid_input, "cannot store {} without an id; reject the record instead", what);
}

}  // namespace

WriteStatements::WriteStatements(Database& database)
    : find_paper(database, fmt::format("SELECT digest, {} FROM papers WHERE id = ?1", kPaperColumns).c_str()),
      insert_paper(
          database,
          "INSERT INTO papers (id, digest, title, title_key, authors, venue, year, month, day, track, url, "
          "doi,"
          " arxiv_id, abstract) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
      update_paper(
          database,
          "UPDATE papers SET digest = ?2, title = ?3, title_key = ?4, authors = ?5, venue = ?6, year = ?7,"
          " month = ?8, day = ?9, track = ?10, url = ?11, doi = ?12, arxiv_id = ?13, abstract = ?14"
          " WHERE id = ?1"),
      find_citation(database,
                    fmt::format("SELECT digest, context_count, {} FROM citations WHERE citing = ?1 AND"
                                " cited = ?2",
                                kCitationColumns)
                        .c_str()),
      insert_citation(
          database,
          "INSERT INTO citations (citing, cited, digest, citing_year, mentions, exp_mentions, marker,"
          " context_count, contexts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
      update_citation(database,
                      "UPDATE citations SET digest = ?3, citing_year = ?4, mentions = ?5, exp_mentions = ?6,"
                      " marker = ?7, context_count = ?8, contexts = ?9 WHERE citing = ?1 AND cited = ?2"),
      find_label(database,
                 "SELECT value, year, month, day, probability, reply FROM labels WHERE citing = ?1"
                 " AND cited = ?2 AND tier = ?3 AND judge = ?4 AND definition = ?5 AND model = ?6"),
      put_label(
          database,
          "INSERT OR REPLACE INTO labels (citing, cited, tier, judge, definition, value, year, month, day,"
          " model, probability, reply) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
      insert_reject(database,
                    "INSERT OR IGNORE INTO rejects (source, line, reason, item) VALUES (?1, ?2, ?3, ?4)"),
      put_fact(database, "INSERT OR REPLACE INTO facts (name, value) VALUES (?1, ?2)"),
      put_state(database,
                "UPDATE state SET papers = ?1, papers_with_abstract = ?2, citations = ?3, contexts = ?4,"
                " labels = ?5, rejects = ?6, digest = ?7") {}

Outcome Catalog::put(const Paper& paper) {
  require_id(paper.id, "a paper");
  return impl_->atomically([&] {
    auto& statements = impl_->writing();
    auto& state = impl_->state;
    const std::uint64_t digest = record_digest(paper);
    auto& find = statements.find_paper;
    const ResetGuard guard(find);
    find.bind(1, paper.id.str());
    if (!find.step()) {
      write_paper(statements.insert_paper, paper, digest, impl_->codec);
      state.digest += digest;
      state.papers += 1;
      state.papers_with_abstract += paper.abstract.empty() ? 0 : 1;
      return Outcome::added;
    }
    const auto old_digest = static_cast<std::uint64_t>(find.integer(0));
    if (old_digest == digest) return Outcome::unchanged;
    Paper known = read_paper(find, 1, impl_->codec);
    find.reset();
    const bool had_abstract = !known.abstract.empty();
    const Paper merged = merge(paper, std::move(known));
    const std::uint64_t new_digest = record_digest(merged);
    if (old_digest == new_digest) return Outcome::unchanged;
    write_paper(statements.update_paper, merged, new_digest, impl_->codec);
    state.replace(old_digest, new_digest);
    state.papers_with_abstract += !had_abstract && !merged.abstract.empty() ? 1 : 0;
    return Outcome::updated;
  });
}

Outcome Catalog::put(const Citation& citation) {
  require_id(citation.citing, "a citation");
  require_id(citation.cited, "a citation");
  return impl_->atomically([&] {
    auto& statements = impl_->writing();
    auto& state = impl_->state;
    const std::uint64_t digest = record_digest(citation);
    auto& find = statements.find_citation;
    const ResetGuard guard(find);
    find.bind(1, citation.citing.str()).bind(2, citation.cited.str());
    if (!find.step()) {
      write_citation(statements.insert_citation, citation, digest, impl_->codec);
      state.digest += digest;
      state.citations += 1;
      state.contexts += static_cast<std::int64_t>(citation.contexts.size());
      return Outcome::added;
    }
    const auto old_digest = static_cast<std::uint64_t>(find.integer(0));
    if (old_digest == digest) return Outcome::unchanged;
    const auto old_contexts = find.integer(1);
    Citation known = read_citation(find, 2, impl_->codec);
    find.reset();
    const Citation merged = merge(citation, std::move(known));
    const std::uint64_t new_digest = record_digest(merged);
    if (old_digest == new_digest) return Outcome::unchanged;
    write_citation(statements.update_citation, merged, new_digest, impl_->codec);
    state.replace(old_digest, new_digest);
    state.contexts += static_cast<std::int64_t>(merged.contexts.size()) - old_contexts;
    return Outcome::updated;
  });
}

Outcome Catalog::put(const Label& label) {
  require_id(label.citing, "a label");
  require_id(label.cited, "a label");
  return impl_->atomically([&] {
    auto& statements = impl_->writing();
    Label written = label;
    Label known = label;
    bool is_known = false;
    {
      auto& find = statements.find_label;
      const ResetGuard guard(find);
      find.bind(1, label.citing.str()).bind(2, label.cited.str()).bind(3, tier_name(label.tier));
      find.bind(4, label.judge).bind(5, label.definition).bind(6, label.model);
      if (find.step()) {
        is_known = true;
        known.value = static_cast<int>(find.integer(0));
        known.date = {static_cast<int>(find.integer(1)), static_cast<int>(find.integer(2)),
                      static_cast<int>(find.integer(3))};
        known.probability = find.maybe_real(4);
        known.reply = find.text(5);
        written.date = complete(label.date, known.date);
        // What was said of another value does not carry over to this one.
        if (written.value == known.value) {
          if (!written.probability) written.probability = known.probability;
          if (written.reply.empty()) written.reply = known.reply;
        }
        if (record_digest(written) == record_digest(known)) return Outcome::unchanged;
      }
    }
    auto& put = statements.put_label;
    put.bind(1, label.citing.str())
        .bind(2, label.cited.str())
        .bind(3, tier_name(label.tier))
        .bind(4, label.judge);
    put.bind(5, label.definition)
        .bind(6, std::int64_t{written.value})
        .bind(7, std::int64_t{written.date.year});
    put.bind(8, std::int64_t{written.date.month}).bind(9, std::int64_t{written.date.day});
    put.bind(10, written.model).bind_real(11, written.probability).bind(12, written.reply);
    put.execute();
    impl_->state.replace(is_known ? record_digest(known) : 0, record_digest(written));
    impl_->state.labels += is_known ? 0 : 1;
    return is_known ? Outcome::updated : Outcome::added;
  });
}

void Catalog::reject(const Reject& item) {
  impl_->atomically([&] {
    auto& insert = impl_->writing().insert_reject;
    insert.bind(1, item.source)
        .bind(2, static_cast<std::int64_t>(item.line))
        .bind(3, item.reason)
        .bind(4, item.item);
    insert.execute();
    impl_->state.rejects += impl_->database->changes();
  });
}

void Catalog::set_fact(std::string_view name, std::string_view value) {
  impl_->atomically([&] { impl_->writing().put_fact.bind(1, name).bind(2, value).execute(); });
}

}  // namespace mustcite::store
