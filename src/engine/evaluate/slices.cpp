#include "engine/evaluate/slices.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/error.hpp"

namespace mustcite::evaluate {
namespace {

constexpr const char* kOther = "(other)";
constexpr const char* kUnknown = "(unknown)";
constexpr const char* kDefaultAges = "0-1,2-3,4-5,6-10,11+";
constexpr const char* kDefaultPopularity = "0,1-4,5-19,20-99,100+";

std::optional<long> parse_number(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

[[noreturn]] void refuse_bin(std::string_view bin, std::string_view text) {
  fail(ErrorCode::usage,
       "the bins {} cannot be used: {} is no bin. Write whole numbers that rise, as in 0,1-4,5-19,20+",
       in_quotes(text), in_quotes(bin));
}

Bin parse_bin(std::string_view bin, std::string_view text) {
  Bin result;
  result.name = bin;
  if (bin.ends_with('+')) {
    const auto low = parse_number(bin.substr(0, bin.size() - 1));
    if (!low) refuse_bin(bin, text);
    result.low = *low;
    result.high = std::numeric_limits<long>::max();
    return result;
  }
  const std::size_t dash = bin.find('-', 1);
  const auto low = parse_number(bin.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : parse_number(bin.substr(dash + 1));
  if (!low || !high || *low > *high) refuse_bin(bin, text);
  result.low = *low;
  result.high = *high;
  return result;
}

const std::filesystem::path& needed(const std::filesystem::path& file, std::string_view wish,
                                    const char* flag) {
  if (file.empty()) fail(ErrorCode::usage, "slicing by {} needs {} FILE", in_quotes(wish), flag);
  return file;
}

/// Years of both sides; a document newer than its query has a negative age and no bin.
std::string age_slice(const Slicing& slicing, std::string_view query, std::string_view document) {
  const std::string* query_year = slicing.queries.find(query);
  const std::string* document_year = slicing.documents.find(document);
  if (query_year == nullptr || document_year == nullptr) return kUnknown;
  const auto later = parse_number(*query_year);
  const auto earlier = parse_number(*document_year);
  if (!later || !earlier || *earlier == 0 || *later == 0) return kUnknown;
  const std::string age = std::to_string(*later - *earlier);
  return slice_of(&age, slicing.bins);
}

}  // namespace

const std::string* Attributes::find(std::string_view id) const {
  const auto found = values.find(std::string(id));
  if (found != values.end()) return &found->second;
  return otherwise ? &*otherwise : nullptr;
}

Attributes popularity(const Qrels& evidence, int relevance_level) {
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const auto& query : evidence.queries) {
    for (const auto& judgement : evidence.judgements_of(query)) {
      if (judgement.relevance >= relevance_level) ++counts[judgement.document];
    }
  }
  Attributes result;
  result.name = "popularity";
  result.otherwise = "0";
  for (const auto& [document, count] : counts) result.values.emplace(document, std::to_string(count));
  return result;
}

std::vector<Bin> parse_bins(std::string_view text) {
  std::vector<Bin> bins;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view bin = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    bins.push_back(parse_bin(bin, text));
    if (bins.size() > 1 && bins.back().low <= bins[bins.size() - 2].high) refuse_bin(bin, text);
  }
  if (bins.empty()) refuse_bin("", text);
  return bins;
}

Slicing read_slicing(std::string_view wish, const AttributeFiles& files) {
  const std::size_t equals = wish.find('=');
  const std::string_view head = wish.substr(0, equals);
  const std::string_view bins =
      equals == std::string_view::npos ? std::string_view{} : wish.substr(equals + 1);
  Slicing slicing;
  slicing.name = head.substr(head.find(':') + 1);
  if (!bins.empty()) slicing.bins = parse_bins(bins);
  if (head == "age") {
    slicing.by = Slicing::By::age;
    slicing.queries = read_attributes(needed(files.queries, wish, "--query-attributes"), "year");
    slicing.documents = read_attributes(needed(files.documents, wish, "--document-attributes"), "year");
    if (bins.empty()) slicing.bins = parse_bins(kDefaultAges);
  } else if (head == "popularity") {
    slicing.by = Slicing::By::document;
    slicing.documents = popularity(read_qrels(needed(files.evidence, wish, "--evidence-qrels")));
    if (bins.empty()) slicing.bins = parse_bins(kDefaultPopularity);
  } else if (head.starts_with("query:") && head.size() > 6) {
    slicing.by = Slicing::By::query;
    slicing.queries = read_attributes(needed(files.queries, wish, "--query-attributes"), slicing.name);
  } else if (head.starts_with("document:") && head.size() > 9) {
    slicing.by = Slicing::By::document;
    slicing.documents = read_attributes(needed(files.documents, wish, "--document-attributes"), slicing.name);
  } else {
    fail(ErrorCode::usage,
         "cannot slice by {}: write query:NAME, document:NAME, age or popularity, with bins as in "
         "age=0-1,2-4,5+",
         in_quotes(wish));
  }
  return slicing;
}

std::string slice_of(const std::string* value, const std::vector<Bin>& bins) {
  if (value == nullptr || value->empty()) return kUnknown;
  if (bins.empty()) return *value;
  const auto number = parse_number(*value);
  if (!number) return kUnknown;
  for (const auto& bin : bins) {
    if (*number >= bin.low && *number <= bin.high) return bin.name;
  }
  return kOther;
}

std::string slice_of(const Slicing& slicing, std::string_view query, std::string_view document) {
  if (slicing.by == Slicing::By::age) return age_slice(slicing, query, document);
  return slice_of(slicing.documents.find(document), slicing.bins);
}

void order_slices(std::vector<std::pair<std::string, std::size_t>>& slices, const std::vector<Bin>& bins) {
  const auto place = [&](const std::string& name) -> std::size_t {
    if (name == kOther) return bins.size() + 1;
    if (name == kUnknown) return bins.size() + 2;
    for (std::size_t b = 0; b < bins.size(); ++b) {
      if (bins[b].name == name) return b;
    }
    return bins.size();
  };
  const bool numbers = std::all_of(slices.begin(), slices.end(), [](const auto& slice) {
    return slice.first == kUnknown || parse_number(slice.first).has_value();
  });
  std::sort(slices.begin(), slices.end(), [&](const auto& a, const auto& b) {
    if (place(a.first) != place(b.first)) return place(a.first) < place(b.first);
    if (numbers) return parse_number(a.first).value_or(0) < parse_number(b.first).value_or(0);
    if (a.second != b.second) return a.second > b.second;
    return a.first < b.first;
  });
}

}  // namespace mustcite::evaluate
