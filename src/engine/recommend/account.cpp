#include "engine/recommend/account.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"
#include "engine/recommend/reasons.hpp"
#include "engine/recommend/recommender_impl.hpp"

namespace mustcite::recommend {
namespace {

using Standing = Account::Standing;

std::optional<DocId> find_document(const rank::Resources& resources, const std::string& id_or_title) {
  const auto& snapshot = resources.snapshot();
  if (const auto doc = snapshot.find(id_or_title)) return doc;
  const std::string key = text::title_key(text::clean_title(id_or_title));
  if (key.empty()) return std::nullopt;
  const auto same_title = snapshot.find_title(key);
  if (same_title.empty()) return std::nullopt;
  return same_title[0];
}

/// Of a ranked paper: its place, what the trees saw, and which of the filters stops it.
void account_for_ranked(const RecommenderImpl& impl, const rank::Ranker& ranker, const rank::Ranking& ranking,
                        std::size_t i, const Options& options, Account& account) {
  const auto document = impl.resources.snapshot().document(ranking.ranked[i].doc);
  const auto explanation = rank::explain(ranker, ranking, i);
  account.place = i + 1;
  account.probability = explanation.probabilities;
  account.features = rank::explain_features(ranker, ranking, i, options.tier);
  const auto& filters = options.filters;
  const std::string role = likely_role(explanation, impl.resources);
  const bool role_passes =
      filters.roles.empty() || std::find(filters.roles.begin(), filters.roles.end(), role) != filters.roles.end();
  const bool sure_enough = !(account.probability[options.tier] < filters.min_probability);
  const std::string place = fmt::format("ranked {} of {}", i + 1, ranking.ranked.size());
  if (!passes(document, filters) || !role_passes || !sure_enough) {
    account.standing = Standing::filtered;
    const char* const by = !role_passes ? "role" : !sure_enough ? "probability" : "venue or year";
    account.verdict = fmt::format("{}, but the filter by {} does not let it through", place, by);
  } else if (i < options.depth) {
    account.standing = Standing::answered;
    account.verdict = fmt::format("{}: among the {} papers shown", place, options.depth);
  } else {
    account.standing = Standing::below;
    account.verdict = fmt::format("{}, below the {} papers shown: the others have more that speaks for them", place, options.depth);
  }
}

/// Of a paper that may come back but was not ranked.
void account_for_candidate(const rank::Ranking& ranking, DocId doc, Account& account) {
  const auto& docs = ranking.candidates.docs;
  const auto at = std::lower_bound(docs.begin(), docs.end(), doc);
  if (at == docs.end() || *at != doc) {
    account.standing = Standing::not_found;
    account.verdict = account.terms.empty()
                          ? "no view found it: it shares no word with the query, and no paper like the query cites it"
                          : "no view found it: it shares few telling words with the query, and the papers most like the query "
                            "do not cite it";
    return;
  }
  account.standing = Standing::cut;
  account.views = rank::view_shares(ranking, static_cast<std::size_t>(at - docs.begin()));
  account.verdict = fmt::format("{} of the {} candidates were ranked, and it is not among them: the views that found it have it far down",
                                ranking.ranked.size(), docs.size());
}

}  // namespace

const char* standing_name(Account::Standing standing) noexcept {
  switch (standing) {
    case Standing::answered:
      return "answered";
    case Standing::below:
      return "below";
    case Standing::filtered:
      return "filtered";
    case Standing::cut:
      return "cut";
    case Standing::not_found:
      return "not-found";
    case Standing::left_out:
      return "left-out";
    case Standing::too_new:
      return "too-new";
    case Standing::unknown:
      return "unknown";
  }
  return "unknown";
}

Account Recommender::account(const Query& query, const Options& options, const std::string& id_or_title) const {
  const auto& resources = impl_->resources;
  const rank::Model* const model = impl_->model_for(query);
  if (model == nullptr || !resources.has_evidence()) {
    fail(ErrorCode::not_found,
         "accounting for one paper: that is what the learned ranker does, and {}",
         model == nullptr ? "there is no trained model; `mustcite train ranker` makes one"
                          : "the catalog holds no citations; `mustcite import citations FILE` brings some");
  }
  if (impl_->terms_of(query).empty()) refuse_empty_query();
  Account account;
  const auto doc = find_document(resources, id_or_title);
  if (!doc) {
    account.verdict = fmt::format(
        "none of the {} papers of the index has this id or title; papers without an abstract are not in it. `mustcite search` "
        "finds close titles",
        resources.snapshot().size());
    return account;
  }
  account.paper = paper_of(resources.snapshot().document(*doc));
  const rank::Ranker ranker(resources, *model);
  const auto ranking = ranker.rank(query, options.tier);
  const auto& context = ranking.context;
  account.ranked = ranking.ranked.size();
  index::SearchOptions search;
  search.prefix = context.as_of.documents;
  const SurfaceForms words(resources.text().analyzer(), query_text(query));
  for (const auto& share : resources.text().explain(context.terms, *doc, search)) {
    if (share.score > 0 && account.terms.size() < 10) {
      account.terms.push_back(words.word(std::string(resources.text().term(share.term))));
    }
  }
  const auto ranked = std::find_if(ranking.ranked.begin(), ranking.ranked.end(), [&](const auto& item) { return item.doc == *doc; });
  if (std::binary_search(context.excluded.begin(), context.excluded.end(), *doc)) {
    account.standing = Standing::left_out;
    const bool known = std::binary_search(context.known.begin(), context.known.end(), *doc);
    account.verdict = known ? "it is left out: it is cited already"
                            : "it is left out: it is the query itself (by id or title), or excluded by name";
  } else if (doc->value >= context.as_of.documents) {
    account.standing = Standing::too_new;
    account.verdict = fmt::format("it is not older than {}, the date of the query", format_date(*query.before));
  } else if (ranked != ranking.ranked.end()) {
    const auto i = static_cast<std::size_t>(ranked - ranking.ranked.begin());
    account_for_ranked(*impl_, ranker, ranking, i, options, account);
    account.views = rank::view_shares(ranking, ranking.shortlist.rows[ranking.positions[i]]);
  } else {
    account_for_candidate(ranking, *doc, account);
  }
  return account;
}

}  // namespace mustcite::recommend
