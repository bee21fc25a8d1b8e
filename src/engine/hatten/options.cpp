#include "engine/hatten/options.hpp"

#include "core/base/error.hpp"
#include "engine/dense/vector_file.hpp"

namespace mustcite::hatten {

Options read_options(const baseline::Recipe& recipe) {
  const baseline::Settings& model = recipe.model;
  Options o;
  o.encoder = model.text("encoder", o.encoder);
  o.vocabulary = model.count("vocabulary", o.vocabulary, 10, 500000);
  o.width = model.count("width", o.width, 4, 1024);
  o.heads = model.count("heads", o.heads, 1, 64);
  o.inner = model.count("inner", o.inner, 4, 8192);
  o.words = model.count("words", o.words, 1, 512);
  o.dropout = model.number("dropout", o.dropout, 0, 0.9);
  o.margin = model.number("margin", o.margin, 0, 1);
  o.weight_decay = model.number("weight_decay", o.weight_decay, 0, 1);
  o.positives = model.count("positives", o.positives, 1, 64);
  o.hard = model.count("hard", o.hard, 0, 64);
  o.easy = model.count("easy", o.easy, 0, 64);
  o.prefetched = model.count("prefetched", o.prefetched, 1, 10000);
  o.refreshed = model.count("refreshed", o.refreshed, 0, 100000000);
  o.rerank_depth = model.count("rerank_depth", o.rerank_depth, 0, 10000);
  o.rerank_epochs = model.count("rerank_epochs", o.rerank_epochs, 1, 1000);
  o.rerank_queries = model.count("rerank_queries", o.rerank_queries, 1, 100000000);
  o.rerank_negatives = model.count("rerank_negatives", o.rerank_negatives, 1, 64);
  o.rerank_layers = model.count("rerank_layers", o.rerank_layers, 0, 100);
  o.rerank_words = model.count("rerank_words", o.rerank_words, 8, 512);
  o.rerank_rate = model.number("rerank_rate", o.rerank_rate, 1e-8, 1);
  o.rerank_margin = model.number("rerank_margin", o.rerank_margin, 0, 1);
  o.rerank_measured = model.count("rerank_measured", o.rerank_measured, 1, 10000);
  model.finish();
  if (o.width % o.heads != 0) {
    fail(ErrorCode::invalid_input, "recipe {}: a width of {} cannot be split among {} heads", recipe.name,
         o.width, o.heads);
  }
  return o;
}

std::optional<std::filesystem::path> encoder_folder(const Options& options,
                                                    const std::filesystem::path& index_folder,
                                                    const std::string& features) {
  if (options.encoder == "none") return std::nullopt;
  if (options.encoder != "auto") {
    if (!std::filesystem::exists(options.encoder)) {
      fail(ErrorCode::not_found, "there is no encoder in {}: give a model's folder, \"auto\" or \"none\"",
           options.encoder);
    }
    return options.encoder;
  }
  const auto vectors = index_folder / "dense" / features;
  if (!std::filesystem::exists(vectors / "vectors.bin")) return std::nullopt;
  return dense::VectorFile::open(vectors).info().model_folder;
}

}  // namespace mustcite::hatten
