#include "stages/collect/venues/openreview_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stages/collect/venues/link_parts.hpp"

namespace mustcite::collect {
namespace {

OpenReviewRule v1(std::string key, std::string invitation, AcceptedBy by, std::vector<std::string> accepted,
                  std::string track, std::string decisions = {}) {
  return {std::move(key),
          1,
          "invitation=" + std::move(invitation),
          by,
          std::move(accepted),
          std::move(decisions),
          std::move(track)};
}

OpenReviewRule v2(std::string key, const std::string& venueid, std::string track) {
  return {std::move(key),  2, "content.venueid=" + venueid, AcceptedBy::venueid, {venueid}, {},
          std::move(track)};
}

/// Phrases are taken by letter: wording and case change every year, and near misses are rejections
/// ("ICLR 2022 Submitted") or other tracks. Bare venueids of v1 stand on rejected papers too.
std::vector<OpenReviewRule> make_rules() {
  using enum AcceptedBy;
  std::vector<OpenReviewRule> rules{
      v1("ICLR.cc/2013", "ICLR.cc/2013/conference/-/submission", decision,
         {"conferenceOral-iclr2013-conference", "conferencePoster-iclr2013-conference"}, "Conference"),
      v1("ICLR.cc/2017", "ICLR.cc/2017/conference/-/submission", venue,
         {"ICLR 2017 Oral", "ICLR 2017 Poster"}, "Conference"),
      v1("ICLR.cc/2018", "ICLR.cc/2018/Conference/-/Blind_Submission", decision,
         {"Accept (Oral)", "Accept (Poster)"}, "Conference",
         "invitation=ICLR.cc/2018/Conference/-/Acceptance_Decision"),
      v1("ICLR.cc/2019", "ICLR.cc/2019/Conference/-/Blind_Submission&details=directReplies", decision,
         {"Accept"}, "Conference"),
      v1("ICLR.cc/2020", "ICLR.cc/2020/Conference/-/Blind_Submission&details=directReplies", decision,
         {"Accept (Talk)", "Accept (Spotlight)", "Accept (Poster)"}, "Conference"),
      v1("ICLR.cc/2021", "ICLR.cc/2021/Conference/-/Blind_Submission", venue,
         {"ICLR 2021 Oral", "ICLR 2021 Spotlight", "ICLR 2021 Poster"}, "Conference"),
      v1("ICLR.cc/2022", "ICLR.cc/2022/Conference/-/Blind_Submission", venue,
         {"ICLR 2022 Oral", "ICLR 2022 Spotlight", "ICLR 2022 Poster"}, "Conference"),
      v1("ICLR.cc/2023", "ICLR.cc/2023/Conference/-/Blind_Submission", venue,
         {"ICLR 2023 notable top 5%", "ICLR 2023 notable top 25%", "ICLR 2023 poster"}, "Conference"),
      v1("NeurIPS.cc/2021", "NeurIPS.cc/2021/Conference/-/Blind_Submission", venue,
         {"NeurIPS 2021 Oral", "NeurIPS 2021 Spotlight", "NeurIPS 2021 Poster"}, "Conference"),
      v1("NeurIPS.cc/2021", "NeurIPS.cc/2021/Track/Datasets_and_Benchmarks/Round1/-/Submission", venue,
         {"NeurIPS 2021 Datasets and Benchmarks Track (Round 1)"}, "Datasets and Benchmarks"),
      v1("NeurIPS.cc/2021", "NeurIPS.cc/2021/Track/Datasets_and_Benchmarks/Round2/-/Submission", venue,
         {"NeurIPS 2021 Datasets and Benchmarks Track (Round 2)"}, "Datasets and Benchmarks"),
      v1("NeurIPS.cc/2022", "NeurIPS.cc/2022/Conference/-/Blind_Submission", venue, {"NeurIPS 2022 Accept"},
         "Conference"),
      v1("NeurIPS.cc/2022", "NeurIPS.cc/2022/Datasets_and_Benchmarks/-/Submission", venue,
         {"NeurIPS 2022 Datasets and Benchmarks "}, "Datasets and Benchmarks"),
      v2("NeurIPS.cc/2023", "NeurIPS.cc/2023/Conference", "Conference"),
      v2("NeurIPS.cc/2023", "NeurIPS.cc/2023/Track/Datasets_and_Benchmarks", "Datasets and Benchmarks"),
      v2("AISTATS.org/2026", "aistats.org/AISTATS/2026/Conference", "Conference"),
  };
  for (int year = 2024; year <= 2026; ++year) {
    rules.push_back(
        v2(fmt::format("ICLR.cc/{}", year), fmt::format("ICLR.cc/{}/Conference", year), "Conference"));
  }
  for (int year = 2023; year <= 2026; ++year) {
    const std::string key = fmt::format("ICML.cc/{}", year);
    rules.push_back(v2(key, key + "/Conference", "Conference"));
    if (year >= 2025) rules.push_back(v2(key, key + "/Position_Paper_Track", "Position Paper Track"));
  }
  for (int year = 2024; year <= 2025; ++year) {
    const std::string key = fmt::format("NeurIPS.cc/{}", year);
    rules.push_back(v2(key, key + "/Conference", "Conference"));
    rules.push_back(v2(key, key + "/Datasets_and_Benchmarks_Track", "Datasets and Benchmarks Track"));
    if (year == 2025) rules.push_back(v2(key, key + "/Position_Paper_Track", "Position Paper Track"));
  }
  const std::string next = "NeurIPS.cc/2026";
  rules.push_back(v2(next, next + "/Conference", "Conference"));
  rules.push_back(v2(next, next + "/Evaluations_and_Datasets_Track", "Evaluations and Datasets Track"));
  rules.push_back(v2(next, next + "/Position_Paper_Track", "Position Paper Track"));
  return rules;
}

bool begins_with_one_of(const std::string& text, const std::vector<std::string>& phrases) {
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](const std::string& phrase) { return text.starts_with(phrase); });
}

}  // namespace

const std::vector<OpenReviewRule>& openreview_rules() {
  static const std::vector<OpenReviewRule> rules = make_rules();
  return rules;
}

std::vector<OpenReviewRule> rules_of(std::string_view key) {
  std::vector<OpenReviewRule> found;
  for (const OpenReviewRule& rule : openreview_rules()) {
    if (rule.key == key) found.push_back(rule);
  }
  return found;
}

bool accepts(const OpenReviewRule& rule, const Note& note, std::string& reason) {
  if (note.deleted) {
    reason = "the note is deleted";
    return false;
  }
  // A withdrawn note may keep the venue that it was accepted to.
  if (note.invitation.find("Withdrawn") != std::string::npos ||
      note.venueid.find("Withdrawn") != std::string::npos) {
    reason = "withdrawn";
    return false;
  }
  switch (rule.by) {
    case AcceptedBy::venueid:
      reason = "venueid: " + note.venueid;
      return std::find(rule.accepted.begin(), rule.accepted.end(), note.venueid) != rule.accepted.end();
    case AcceptedBy::venue:
      reason = "venue: " + note.venue;
      return std::find(rule.accepted.begin(), rule.accepted.end(), note.venue) != rule.accepted.end();
    case AcceptedBy::decision:
      break;
  }
  reason = note.decision.empty() ? "no decision is known" : "decision: " + note.decision;
  return begins_with_one_of(note.decision, rule.accepted);
}

Record record_of(const OpenReviewRule& rule, const Note& note) {
  Record record;
  record.id = note.forum.empty() ? note.id : note.forum;
  record.openreview_id = record.id;
  record.title = note.title;
  record.abstract = note.abstract;
  record.authors = note.authors;
  record.track = rule.track;
  record.page_url = "https://openreview.net/forum?id=" + record.id;
  record.pdf_url = note.pdf.starts_with("/") ? "https://openreview.net" + note.pdf : note.pdf;
  if (record.pdf_url.empty()) record.pdf_url = "https://openreview.net/pdf?id=" + record.id;
  const std::size_t arxiv = record.pdf_url.find("arxiv.org/abs/");
  if (arxiv != std::string::npos) {
    record.arxiv_id = record.pdf_url.substr(arxiv + 14);
    record.pdf_url = "https://arxiv.org/pdf/" + record.arxiv_id;
  }
  return record;
}

}  // namespace mustcite::collect
