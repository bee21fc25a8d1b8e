#include "engine/recommend/recommend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/text/normalise.hpp"
#include "engine/rank/baseline.hpp"
#include "engine/rank/dense.hpp"
#include "engine/rank/late.hpp"
#include "engine/recommend/late_folder.hpp"
#include "engine/recommend/reasons.hpp"
#include "engine/recommend/recommender_impl.hpp"
#include "engine/snapshot/authors.hpp"

namespace mustcite::recommend {
namespace {

constexpr std::size_t kTermsShown = 6;

}  // namespace

Paper paper_of(const snapshot::DocumentView& document) {
  Paper paper;
  paper.id = PaperId(std::string(document.id));
  paper.title = document.title;
  for (const std::string_view name : snapshot::split_authors(document.authors)) paper.authors.emplace_back(name);
  paper.venue = document.venue;
  paper.date = document.date;
  paper.url = document.url;
  paper.doi = document.doi;
  paper.arxiv_id = document.arxiv_id;
  return paper;
}

bool passes(const snapshot::DocumentView& document, const Filters& filters) {
  if (filters.first_year != 0 && document.date.year < filters.first_year) return false;
  if (filters.last_year != 0 && document.date.year > filters.last_year) return false;
  return filters.venues.empty() ||
         std::find(filters.venues.begin(), filters.venues.end(), document.venue) != filters.venues.end();
}

std::string query_text(const Query& query) { return query.title + "\n" + query.abstract + "\n" + query.topic; }

void refuse_empty_query() {
  fail(ErrorCode::invalid_input,
       "no word of the title and abstract can be searched for in this catalog: stop words and scripts other than "
       "Latin do not count; describe the work in English");
}

const dense::Retriever* RecommenderImpl::retriever(const std::string& recipe) const {
  const auto& known = rank::method_names();
  const auto place = dense_folder(folder, recipe);
  if (std::find(known.begin(), known.end(), recipe) != known.end() || !std::filesystem::exists(place)) return nullptr;
  const std::lock_guard lock(retrievers_mutex);
  auto& slot = retrievers[recipe];
  if (!slot) {
    if (!readers.texts) fail(ErrorCode::internal, "there is no encoder for the queries of {}", recipe);
    slot = std::make_unique<const dense::Retriever>(place, resources.snapshot().digest(), readers.texts);
  }
  return slot.get();
}

const baseline::Ranker* RecommenderImpl::baseline(const std::string& name) const {
  if (!readers.baselines || baseline::family_of(name).empty()) return nullptr;
  const std::lock_guard lock(retrievers_mutex);
  auto& slot = baselines[name];
  if (!slot.ranker) {
    slot.world = {&resources.snapshot(), &resources.graph(), &resources.text(), folder, readers.texts, 0};
    slot.ranker = readers.baselines(name, slot.world);
  }
  return slot.ranker.get();
}

const late::Retriever* RecommenderImpl::late_retriever(const std::string& recipe) const {
  const auto& known = rank::method_names();
  const auto place = late_folder(folder, recipe);
  if (std::find(known.begin(), known.end(), recipe) != known.end() || !std::filesystem::exists(place)) return nullptr;
  const std::lock_guard lock(retrievers_mutex);
  auto& slot = late_retrievers[recipe];
  if (!slot) {
    if (!readers.tokens) fail(ErrorCode::internal, "there is no token encoder for the queries of {}", recipe);
    slot = std::make_unique<const late::Retriever>(place, resources.snapshot().digest(), readers.tokens);
  }
  return slot.get();
}

std::unique_ptr<rank::Method> RecommenderImpl::method(const Options& options, std::vector<std::string>& notes) const {
  std::string name = options.method;
  if (name == "mustcite" && !resources.has_evidence()) {
    name = "bm25";
    notes.emplace_back("the catalog holds no citations, so bm25 ranked; `mustcite import citations FILE` brings some");
  } else if (name == "mustcite" && !model) {
    name = "bm25";
    notes.emplace_back("there is no trained model, so bm25 ranked; `mustcite train ranker` makes one");
  }
  if (name == "mustcite" && (info.title_weight != 1 || info.abstract_weight != 1)) {
    notes.emplace_back("the text index has field weights other than 1, which the model was not trained with");
  }
  if (name != "mustcite" && options.filters.on_ranking()) {
    fail(ErrorCode::usage, "roles and probabilities are told by the learned ranker alone, and {} ranks here: leave these "
         "filters out", name);
  }
  if (const auto* vectors = retriever(name)) return rank::make_dense_method(resources, *vectors);
  if (const auto* ranker = baseline(name)) return rank::make_baseline_method(resources, *ranker);
  if (const auto* tokens = late_retriever(name)) return rank::make_late_method(resources, *tokens, options.exhaustive);
  return rank::make_method(name, resources, model ? &*model : nullptr, options.tier, options.bm25);
}

void RecommenderImpl::note_foreign_topic(Answer& answer, const Options& options) {
  // Of 701 papers of venues that the catalog covers, 1 % stay below this.
  constexpr float kLikely = 0.14F;
  if (options.filters.on_record() || options.filters.on_ranking()) return;
  float likeliest = 0;
  for (const Row& row : answer.rows) {
    const auto at = row.probability.find(Tier::all);
    if (at == row.probability.end() || at->second >= kLikely) return;
    likeliest = std::max(likeliest, at->second);
  }
  if (answer.rows.empty()) return;
  answer.notes.push_back(fmt::format("this topic may lie outside the catalog: the likeliest of these papers is cited with {:.0f} %",
                                     100 * likeliest));
}

void RecommenderImpl::note_blindness(Answer& answer, const Query& query) const {
  if (answer.method != "mustcite") return;
  const auto& snapshot = resources.snapshot();
  if (resources.latent(snapshot.prefix(query.before), snapshot.evidence_prefix(query.before)).lsi != nullptr) return;
  if (!query.before) {
    answer.notes.emplace_back("the index has no latent space, so the views by topic found nothing; `mustcite index build` makes one");
    return;
  }
  answer.notes.push_back(fmt::format("no latent space is as old as {}, so the views by topic found nothing; `mustcite index build "
                                     "--latent-years {}` makes one",
                                     format_date(*query.before), query.before->year));
}

std::vector<index::QueryTerm> RecommenderImpl::terms_of(const Query& query) const {
  return resources.text().parse(query_text(query));
}

std::vector<rank::Scored> RecommenderImpl::ranked(const rank::Method& method, const Query& query,
                                                  const Options& options) const {
  const std::size_t needed = asked(options);
  if (!options.filters.on_record()) return method.rank(query, needed);
  const std::size_t everything = resources.snapshot().size();
  for (std::size_t deep = needed * 8;; deep *= 8) {
    const auto found = method.rank(query, std::min(deep, everything));
    std::vector<rank::Scored> kept;
    for (const auto& item : found) {
      if (passes(resources.snapshot().document(item.doc), options.filters)) kept.push_back(item);
      if (kept.size() == needed) return kept;
    }
    if (found.size() < deep || deep >= everything) return kept;
  }
}

std::vector<rank::Scored> RecommenderImpl::ranked_for_run(const rank::Method& method, const Query& query,
                                                          const Options& options) const {
  if (method.name() != "mustcite") return ranked(method, query, options);
  const rank::Ranker ranker(resources, *model_for(query));
  const auto ranking = ranker.rank(query, options.tier);
  std::vector<rank::Scored> found;
  for (const std::size_t i : passing(ranker, ranking, options)) {
    found.push_back(ranking.ranked[i]);
    if (options.probabilities) found.back().score = ranker.probabilities(ranking, i)[options.tier];
  }
  return found;
}

void RecommenderImpl::add_rows(Answer& answer, const std::vector<rank::Scored>& found, const Query& query,
                               const index::Bm25& bm25) const {
  const auto terms = terms_of(query);
  index::SearchOptions options;
  options.bm25 = bm25;
  options.prefix = resources.snapshot().prefix(query.before);
  const SurfaceForms words(resources.text().analyzer(), query_text(query));
  for (const auto& item : found) {
    Row row;
    row.doc = item.doc;
    row.score = item.score;
    row.paper = paper_of(resources.snapshot().document(item.doc));
    for (const auto& share : resources.text().explain(terms, item.doc, options)) {
      if (row.terms.size() == kTermsShown) break;
      row.terms.push_back({words.word(std::string(resources.text().term(share.term))), share.score});
    }
    answer.rows.push_back(std::move(row));
  }
}

std::vector<std::size_t> RecommenderImpl::passing(const rank::Ranker& ranker, const rank::Ranking& ranking,
                                                  const Options& options) const {
  const auto& filters = options.filters;
  const auto among = [&](const std::string& role) {
    return std::find(filters.roles.begin(), filters.roles.end(), role) != filters.roles.end();
  };
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ranking.ranked.size() && places.size() < asked(options); ++i) {
    if (filters.on_record() && !passes(resources.snapshot().document(ranking.ranked[i].doc), filters)) continue;
    if (filters.min_probability > 0 && !(ranker.probabilities(ranking, i)[options.tier] >= filters.min_probability)) continue;
    if (!filters.roles.empty() && !among(likely_role(rank::explain(ranker, ranking, i), resources))) continue;
    places.push_back(i);
  }
  return places;
}

void RecommenderImpl::rerank(std::span<const Query> queries, std::span<std::vector<rank::Scored>> lists,
                             const Options& options) {
  if (options.reranker == nullptr) return;
  options.reranker->rerank(queries, lists);
  for (auto& list : lists) list.resize(std::min(list.size(), options.depth));
}

void RecommenderImpl::add_explained_rows(Answer& answer, const Query& query, const Options& options) const {
  const rank::Ranker ranker(resources, *model_for(query));
  const auto ranking = ranker.rank(query, options.tier);
  std::vector<rank::Scored> shown;
  std::map<DocId, std::size_t> places;
  for (const std::size_t i : passing(ranker, ranking, options)) {
    shown.push_back(ranking.ranked[i]);
    places[shown.back().doc] = i;
  }
  rerank({&query, 1}, {&shown, 1}, options);
  std::vector<rank::Explanation> explanations;
  for (const auto& item : shown) explanations.push_back(rank::explain(ranker, ranking, places.at(item.doc)));
  add_rows(answer, shown, query, options.bm25);
  const SurfaceForms words(resources.text().analyzer(), query_text(query));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Row& row = answer.rows[i];
    row.probability = explanations[i].probabilities;
    row.reasons = reason_lines(explanations[i], resources, words);
    row.role = likely_role(explanations[i], resources);
    row.evidence = evidence_line(explanations[i], resources);
  }
}

Recommender::Recommender(std::unique_ptr<RecommenderImpl> impl) : impl_(std::move(impl)) {}
Recommender::Recommender(Recommender&&) noexcept = default;
Recommender& Recommender::operator=(Recommender&&) noexcept = default;
Recommender::~Recommender() = default;

Recommender Recommender::open(const std::filesystem::path& index_folder,
                              const std::optional<std::filesystem::path>& model_folder, Readers readers) {
  auto info = read_index_info(index_folder);
  std::optional<rank::Model> model;
  if (model_folder) model = rank::load_model(*model_folder);
  std::optional<rank::Model> draft_model;
  if (model_folder && std::filesystem::exists(*model_folder / "draft" / "model.json")) {
    draft_model = rank::load_model(*model_folder / "draft");
  }
  std::unique_ptr<RecommenderImpl> impl(
      new RecommenderImpl{std::move(info), rank::Resources::open(index_folder), std::move(model), std::move(draft_model),
                          index_folder, std::move(readers)});
  impl->attach_vectors();
  return Recommender(std::move(impl));
}

void RecommenderImpl::attach_vectors() {
  for (const auto* reader : {&model, &draft_model}) {
    if (!*reader) continue;
    if (const auto& wanted = (*reader)->dense; !wanted.recipe.empty()) {
      const auto* const vectors = retriever(wanted.recipe);
      check_encoder(**reader, wanted, "--dense", vectors == nullptr ? nullptr : &vectors->vectors().info().model_digest);
      resources.attach(vectors);
    }
    if (const auto& wanted = (*reader)->late; !wanted.recipe.empty()) {
      const auto* const tokens = late_retriever(wanted.recipe);
      check_encoder(**reader, wanted, "--late", tokens == nullptr ? nullptr : &tokens->index().info().model_digest);
      resources.attach_tokens(tokens);
    }
    if (const auto& wanted = (*reader)->cross; !wanted.recipe.empty()) open_cross(**reader);
  }
}

void RecommenderImpl::open_cross(const rank::Model& reader) {
  const auto& wanted = reader.cross;
  if (cross && cross->model().encoder.digest == wanted.digest) return;
  if (!std::filesystem::exists(wanted.folder)) {
    fail(ErrorCode::not_found, "the ranker {} reads pairs with the cross-encoder {}, which is not in {} any more: put it there, or "
         "rank with another model", reader.name, wanted.recipe, wanted.folder.string());
  }
  rank::CrossRerankerOptions options;
  options.depth = wanted.depth;
  cross = std::make_unique<const rank::CrossReranker>(resources.snapshot(), wanted.folder, readers.texts, options);
  if (cross->model().encoder.digest != wanted.digest) {
    fail(ErrorCode::corrupt, "the ranker {} was trained with another cross-encoder than the one in {}: train it again with `mustcite "
         "train ranker --cross {}`", reader.name, wanted.folder.string(), wanted.recipe);
  }
  resources.attach_cross(cross.get());
}

void RecommenderImpl::check_encoder(const rank::Model& reader, const rank::Model::Encoder& wanted, const char* option,
                                    const std::string* digest) const {
  if (digest == nullptr) {
    fail(ErrorCode::not_found, "the ranker {} reads the vectors of {}, which the index {} does not have: make them with `mustcite "
         "index build --dense {}`, or rank with another model", reader.name, wanted.recipe, folder.string(), wanted.recipe);
  }
  if (*digest != wanted.digest) {
    fail(ErrorCode::corrupt, "the ranker {} was trained with another model behind {} than the one that made the vectors of the "
         "index {}: train it again with `mustcite train ranker {} {}`", reader.name, wanted.recipe, folder.string(), option,
         wanted.recipe);
  }
}

std::map<Tier, double> Recommender::missing_thresholds() const {
  std::map<Tier, double> thresholds;
  const auto& model = impl_->draft_model ? impl_->draft_model : impl_->model;
  if (!model) return thresholds;
  for (const auto& [tier, part] : model->tiers) {
    // `all` is every citation: lacking one of those is no fault of a draft.
    if (tier != Tier::all && part.missing_at <= 1) thresholds[tier] = part.missing_at;
  }
  return thresholds;
}

const IndexInfo& Recommender::info() const noexcept { return impl_->info; }

Answer Recommender::answer(const Query& query, const Options& options) const {
  Answer answer;
  const auto method = impl_->method(options, answer.notes);
  if (method->needs_words() && impl_->terms_of(query).empty()) refuse_empty_query();
  answer.method = method->name();
  if (options.reranker != nullptr) {
    answer.reranker = options.reranker->name();
    answer.rerank_depth = options.reranker->depth();
  }
  impl_->note_blindness(answer, query);
  answer.coverage = impl_->coverage();
  answer.before = query.before;
  answer.known = query.known.size();
  for (const auto& id : query.known) answer.known_found += impl_->resources.snapshot().find(id.str()) ? 1 : 0;
  if (answer.method == "mustcite") {
    impl_->add_explained_rows(answer, query, options);
    if (query.known.empty()) RecommenderImpl::note_foreign_topic(answer, options);
  } else {
    auto found = impl_->ranked(*method, query, options);
    RecommenderImpl::rerank({&query, 1}, {&found, 1}, options);
    impl_->add_rows(answer, found, query, options.bm25);
  }
  return answer;
}

std::unique_ptr<rank::CrossReranker> Recommender::open_reranker(const std::filesystem::path& model,
                                                                rank::CrossRerankerOptions options) const {
  Options ranking;
  ranking.method = options.method;
  std::vector<std::string> notes;
  options.method = impl_->method(ranking, notes)->name();
  return std::make_unique<rank::CrossReranker>(impl_->resources.snapshot(), model, impl_->readers.texts, options);
}

rank::Combination Recommender::fit_combination(const rank::CrossReranker& reranker, const Options& options,
                                               const rank::CombinationOptions& how,
                                               rank::CombinationReport& report, Progress& progress) const {
  std::vector<std::string> notes;
  const auto method = impl_->method(options, notes);
  return rank::fit_combination(impl_->resources, *method, reranker, how, report, progress);
}

Run Recommender::answer_all(const std::vector<Query>& queries, const Options& options, std::size_t threads,
                            Progress& progress, std::vector<std::string>& notes) const {
  const auto method = impl_->method(options, notes);
  Run run;
  run.name = method->name();
  run.lists.resize(queries.size());
  method->prepare(queries);
  if (options.reranker != nullptr) run.name += "+" + options.reranker->name();
  // Progress is reported from this thread, between blocks; a reranker takes its time for each query.
  const std::size_t block = options.reranker == nullptr ? 64 : 8;
  progress.begin("recommend", queries.size());
  for (std::size_t begin = 0; begin < queries.size(); begin += block) {
    stop_if_interrupted();
    const std::size_t count = std::min(block, queries.size() - begin);
    std::vector<std::vector<rank::Scored>> found(count);
    parallel_for(count, threads, [&](std::size_t i, std::size_t) {
      const Query& query = queries[begin + i];
      if (method->needs_words() && impl_->terms_of(query).empty()) return;
      found[i] = impl_->ranked_for_run(*method, query, options);
    });
    RecommenderImpl::rerank({queries.data() + begin, count}, found, options);
    for (std::size_t i = 0; i < count; ++i) {
      auto& list = run.lists[begin + i];
      list.query = queries[begin + i].id;
      for (const auto& item : found[i])
        list.papers.push_back({PaperId(std::string(impl_->resources.snapshot().document(item.doc).id)), item.score});
    }
    progress.advance(count);
  }
  progress.finish();
  for (const auto& list : run.lists) {
    if (list.papers.empty()) notes.push_back(fmt::format("query {} found nothing: no word of it can be searched for", list.query.str()));
  }
  return run;
}

Answer Recommender::search_title(const std::string& title, std::size_t depth) const {
  Query query;
  query.title = text::clean_title(title);
  const auto exact = impl_->resources.snapshot().find_title(text::title_key(query.title));
  std::vector<rank::Scored> found;
  std::unordered_set<std::uint32_t> seen;
  for (const DocId doc : exact) {
    found.push_back({doc, 0});
    seen.insert(doc.value);
  }
  const auto& titles = impl_->resources.titles();
  index::SearchOptions options;
  options.depth = static_cast<std::uint32_t>(depth + exact.size());
  const auto terms = titles.parse(query.title);
  if (terms.empty() && exact.empty()) {
    fail(ErrorCode::invalid_input, "the title has no word that can be searched for");
  }
  for (const auto& item : titles.search(terms, options)) {
    if (found.size() >= depth) break;
    if (seen.insert(item.doc.value).second) found.push_back(item);
  }
  Answer answer;
  answer.method = "title";
  answer.coverage = impl_->coverage();
  impl_->add_rows(answer, found, query, {});
  return answer;
}

}  // namespace mustcite::recommend
