#include "engine/topics/options.hpp"

#include "engine/terms/topics.hpp"

namespace mustcite::topics {

Options read_options(const baseline::Recipe& recipe) {
  const baseline::Settings& model = recipe.model;
  Options o;
  o.graph = model.text("graph", o.graph);
  o.topics = model.count("topics", o.topics, 1, terms::Topics::kMost);
  o.min_titles = model.count("min_titles", o.min_titles, 1, 1000000);
  o.min_documents = model.count("min_documents", o.min_documents, 1, 1000000);
  o.min_npmi = model.number("min_npmi", o.min_npmi, 0.001, 1);
  o.degree = model.count("degree", o.degree, 0, 1000);
  o.hops = model.count("hops", o.hops, 0, 6);
  o.main_topics = model.count("main_topics", o.main_topics, 1, 100);
  o.width = model.count("width", o.width, 4, 1024);
  o.topic_width = model.count("topic_width", o.topic_width, 2, 512);
  o.neighbours = model.count("neighbours", o.neighbours, 1, 1000);
  o.dropout = model.number("dropout", o.dropout, 0, 0.9);
  o.alignment = model.number("alignment", o.alignment, 0, 100);
  o.temperature = model.number("temperature", o.temperature, 0.001, 10);
  o.weight_decay = model.number("weight_decay", o.weight_decay, 0, 1);
  o.positives = model.count("positives", o.positives, 1, 64);
  o.hard = model.count("hard", o.hard, 0, 64);
  o.easy = model.count("easy", o.easy, 0, 64);
  o.hard_ranks = model.count("hard_ranks", o.hard_ranks, 1, 10000);
  model.finish();
  return o;
}

}  // namespace mustcite::topics
