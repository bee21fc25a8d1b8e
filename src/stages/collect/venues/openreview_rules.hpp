#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stages/collect/record.hpp"

// Who was accepted: OpenReview answers differently for every year.
namespace mustcite::collect {

/// One submission as the API describes it, v1 or v2.
struct Note {
  std::string id;
  std::string forum;
  std::string invitation;  ///< v1: the one; v2: the first
  std::string title;
  std::string abstract;
  std::string pdf;
  std::string venue;
  std::string venueid;
  std::string decision;  ///< of the note itself, or of a reply that decides (Decision, Meta_Review)
  std::vector<std::string> authors;
  std::size_t number = 0;
  bool deleted = false;
};

struct NotesPage {
  std::vector<Note> notes;
  std::size_t count = 0;  ///< as stated; 0: not stated
  std::size_t read = 0;   ///< entries of the page, broken ones included
};

/// One answer of `/notes` of either API. Replies within `details.directReplies` give their decision to the
/// submission. Throws LayoutChanged when it is none.
[[nodiscard]] NotesPage read_openreview_notes(std::string_view text);

/// How acceptance is told.
enum class AcceptedBy {
  venueid,   ///< v2: content.venueid is the bare path
  venue,     ///< content.venue is one of the accepted phrases, by letter
  decision,  ///< the decision note (or meta review) begins with one of the accepted phrases
};

/// What to ask and what to believe, for one track of one year.
struct OpenReviewRule {
  std::string key;  ///< of the table of editions, e.g. "ICLR.cc/2021"
  int api = 2;
  std::string query;  ///< of /notes: "invitation=…" or "content.venueid=…"
  AcceptedBy by = AcceptedBy::venueid;
  std::vector<std::string> accepted;  ///< phrases
  std::string decisions;              ///< a second query whose notes decide; empty: the submission does
  std::string track;                  ///< what the papers are filed under
};

[[nodiscard]] const std::vector<OpenReviewRule>& openreview_rules();

/// The rules of a key of the table (several tracks), in order.
[[nodiscard]] std::vector<OpenReviewRule> rules_of(std::string_view key);

/// Whether the rule accepts the note; if not, `reason` says what the note says of itself.
[[nodiscard]] bool accepts(const OpenReviewRule& rule, const Note& note, std::string& reason);

/// The record of an accepted note.
[[nodiscard]] Record record_of(const OpenReviewRule& rule, const Note& note);

}  // namespace mustcite::collect
