// OpenReview's API, versions 1 and 2. It wants a (free) account: the name and password come from the
// environment, the token lives in memory alone.
#include <fmt/format.h>
#include <simdjson.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/openreview_rules.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using simdjson::dom::element;

constexpr std::size_t kPage = 1000;  // the most that the API gives
constexpr std::size_t kMostPages = 200;
constexpr const char* kHost1 = "api.openreview.net";
constexpr const char* kHost2 = "api2.openreview.net";

/// content.X, or content.X.value in v2.
bool content_of(const element& content, std::string_view key, element& value) {
  if (content[key].get(value) != simdjson::SUCCESS) return false;
  element inner;
  if (value.is_object() && value["value"].get(inner) == simdjson::SUCCESS) value = inner;
  return true;
}

std::string text_at(const element& content, std::string_view key) {
  element value;
  std::string_view text;
  return content_of(content, key, value) && value.get(text) == simdjson::SUCCESS ? std::string(text)
                                                                                 : std::string();
}

std::vector<std::string> texts_at(const element& content, std::string_view key) {
  element value;
  std::vector<std::string> texts;
  if (!content_of(content, key, value)) return texts;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return {std::string(text)};  // one unsplit string
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) return texts;
  for (const element entry : list) {
    if (entry.get(text) == simdjson::SUCCESS) texts.emplace_back(text);
  }
  return texts;
}

std::string plain_text(const element& object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

/// What a decision note, or a meta review, decides.
std::string decision_in(const element& content) {
  std::string decision = text_at(content, "decision");
  return decision.empty() ? text_at(content, "recommendation") : decision;
}

Note read_note(const element& object) {
  Note note;
  note.id = plain_text(object, "id");
  note.forum = plain_text(object, "forum");
  note.invitation = plain_text(object, "invitation");
  simdjson::dom::array invitations;
  if (note.invitation.empty() && object["invitations"].get(invitations) == simdjson::SUCCESS) {
    for (const element first : invitations) {
      std::string_view text;
      if (first.get(text) == simdjson::SUCCESS) note.invitation = text;
      break;
    }
  }
  std::uint64_t number = 0;
  if (object["number"].get(number) == simdjson::SUCCESS) note.number = number;
  element deleted;
  note.deleted = object["ddate"].get(deleted) == simdjson::SUCCESS && !deleted.is_null();
  element content;
  if (object["content"].get(content) == simdjson::SUCCESS && content.is_object()) {
    note.title = text_at(content, "title");
    note.abstract = text_at(content, "abstract");
    note.pdf = text_at(content, "pdf");
    note.venue = text_at(content, "venue");
    note.venueid = text_at(content, "venueid");
    note.authors = texts_at(content, "authors");
    note.decision = decision_in(content);
  }
  simdjson::dom::array replies;
  if (object["details"]["directReplies"].get(replies) == simdjson::SUCCESS) {
    for (const element reply : replies) {
      element said;
      const std::string invitation = plain_text(reply, "invitation");
      const bool decides = invitation.ends_with("Decision") || invitation.ends_with("Meta_Review");
      if (decides && reply["content"].get(said) == simdjson::SUCCESS && said.is_object())
        note.decision = decision_in(said);
    }
  }
  return note;
}

class OpenReview final : public Site {
 public:
  explicit OpenReview(std::string key) : rules_(rules_of(key)) {}

  std::vector<std::string> hosts() const override { return {kHost2, kHost1, "openreview.net", "arxiv.org"}; }

  std::vector<std::string> starts() const override {
    std::vector<std::string> urls;
    for (const OpenReviewRule& rule : rules_) urls.push_back(address(rule, rule.query, 0));
    return urls;
  }

  Listing list(Pages& pages) override {
    Listing listing;
    for (const OpenReviewRule& rule : rules_) {
      std::vector<Note> notes = all_notes(pages, rule, rule.query, listing);
      if (!rule.decisions.empty()) {
        std::unordered_map<std::string, std::string> decisions;
        for (const Note& note : all_notes(pages, rule, rule.decisions, listing))
          decisions[note.forum] = note.decision;
        for (Note& note : notes) note.decision = decisions[note.id];
      }
      for (const Note& note : notes) {
        std::string reason;
        if (accepts(rule, note, reason)) {
          take(record_of(rule, note), listing);
        } else {
          listing.problems.push_back({note.id, "not accepted: " + reason});
        }
      }
    }
    drop_repeats(listing);
    if (listing.records.empty())
      throw LayoutChanged("OpenReview lists no accepted paper: another rule is needed");
    return listing;
  }

 private:
  static std::string address(const OpenReviewRule& rule, const std::string& query, std::size_t offset) {
    return fmt::format("https://{}/notes?{}&limit={}&offset={}&sort=number:asc",
                       rule.api == 2 ? kHost2 : kHost1, query, kPage, offset);
  }

  std::vector<Note> all_notes(Pages& pages, const OpenReviewRule& rule, const std::string& query,
                              Listing& listing) {
    std::vector<Note> notes;
    std::set<std::string> ids;
    std::size_t count = 0;
    std::size_t read = 0;
    for (std::size_t page = 0; page < kMostPages; ++page) {
      net::PageRequest request;
      request.url = address(rule, query, page * kPage);
      request.expect = net::Expect::json;
      request.may_change = true;
      NotesPage part = read_openreview_notes(ask(pages, request));
      count = std::max(count, part.count);
      read += part.read;
      for (Note& note : part.notes) {
        if (!note.id.empty() && ids.insert(note.id).second) notes.push_back(std::move(note));
      }
      if (part.read < kPage) break;
    }
    // Pages that shift while they are read would lose notes silently.
    if (count != 0 && ids.size() != count) {
      listing.problems.push_back(
          {query,
           fmt::format("{} distinct notes of {} that OpenReview counts ({} read)", ids.size(), count, read)});
      throw LayoutChanged(fmt::format("{} distinct notes of {} that OpenReview counts", ids.size(), count));
    }
    return notes;
  }

  /// One answer of the API. A token that has run out is renewed once. Without an account the request goes out
  /// bare: what is kept from an earlier run, or played by a server for tests, needs none.
  std::string ask(Pages& pages, const net::PageRequest& bare) {
    const net::FetchOptions& options = pages.fetcher().options();
    const bool can_log_in = has_account() && !options.offline && options.from_dir.empty();
    for (bool renewed = false;; renewed = true) {
      if (can_log_in && token_.empty()) log_in(pages);
      net::PageRequest request = bare;
      if (!token_.empty()) request.headers.push_back("Authorization: Bearer " + token_);
      try {
        return pages.get(request);
      } catch (const PageUnavailable& problem) {
        const bool refused = problem.end() == net::PageEnd::refused;
        if (refused && can_log_in && !renewed) {
          token_.clear();
          continue;
        }
        const bool wants_login = refused || problem.end() == net::PageEnd::challenge;
        if (!wants_login || can_log_in) throw;
        throw PageUnavailable(problem.end(), request.url,
                              problem.reason() +
                                  "; OpenReview wants a (free) account: set OPENREVIEW_USERNAME and "
                                  "OPENREVIEW_PASSWORD");
      }
    }
  }

  static const char* from_environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  }
  static bool has_account() {
    return *from_environment("OPENREVIEW_USERNAME") != '\0' &&
           *from_environment("OPENREVIEW_PASSWORD") != '\0';
  }

  /// One token serves both versions of the API.
  void log_in(Pages& pages) {
    net::PageRequest login;
    login.url = fmt::format("https://{}/login", kHost2);
    login.expect = net::Expect::json;
    login.post = nlohmann::json{{"id", from_environment("OPENREVIEW_USERNAME")},
                                {"password", from_environment("OPENREVIEW_PASSWORD")}}
                     .dump();
    login.unkept = true;
    constexpr const char* kCheck = "check OPENREVIEW_USERNAME and OPENREVIEW_PASSWORD";
    try {
      const nlohmann::json answer = nlohmann::json::parse(pages.get(login), nullptr, false);
      if (answer.is_object() && answer.contains("token") && answer["token"].is_string())
        token_ = answer["token"].get<std::string>();
    } catch (const PageUnavailable& problem) {
      if (problem.end() != net::PageEnd::refused) throw;
      throw PageUnavailable(problem.end(), login.url,
                            fmt::format("OpenReview refuses the account ({}); {}", problem.reason(), kCheck));
    }
    if (token_.empty())
      throw PageUnavailable(net::PageEnd::refused, login.url,
                            fmt::format("OpenReview gave no token; {}", kCheck));
  }

  std::vector<OpenReviewRule> rules_;
  std::string token_;
};

}  // namespace

NotesPage read_openreview_notes(std::string_view text) {
  simdjson::dom::parser parser;
  element root;
  simdjson::dom::array notes;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) throw LayoutChanged("no JSON");
  if (root["notes"].get(notes) != simdjson::SUCCESS)
    throw LayoutChanged("no list of notes: " + plain_text(root, "message"));
  NotesPage page;
  for (const element entry : notes) {
    ++page.read;
    if (entry.is_object()) page.notes.push_back(read_note(entry));
  }
  std::uint64_t count = 0;
  if (root["count"].get(count) == simdjson::SUCCESS) page.count = count;
  return page;
}

std::unique_ptr<Site> openreview_site(const Place& place) {
  return std::make_unique<OpenReview>(place.key);
}

}  // namespace mustcite::collect
