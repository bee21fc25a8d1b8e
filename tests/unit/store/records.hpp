#pragma once

#include <string>

#include "core/schema/paper.hpp"

namespace mustcite::testing {

/// The n-th of a series of papers with every kind of field; each third has no abstract.
inline Paper numbered_paper(int n) {
  const std::string number = std::to_string(n);
  Paper paper;
  paper.id = PaperId("n" + number);
  paper.title = "A Study of Number " + number;
  if (n % 3 != 0) {
    for (int i = 0; i < 40; ++i) paper.abstract += "word" + std::to_string((n * 31 + i * 7) % 1000) + " ";
  }
  paper.authors = {"Ada Number" + number, "Björn Zähler"};
  paper.venue = n % 2 == 0 ? "icml" : "acl";
  paper.date = {2000 + n % 20, n % 13, n % 13 == 0 ? 0 : n % 29};
  paper.url = "https://example.org/" + number;
  return paper;
}

/// Paper n cites paper n - 1.
inline Citation numbered_citation(int n) {
  Citation citation;
  citation.citing = PaperId("n" + std::to_string(n));
  citation.cited = PaperId("n" + std::to_string(n - 1));
  citation.citing_year = 2000 + n % 20;
  if (n % 4 != 0) citation.mentions = n % 7;
  if (n % 5 != 0) citation.exp_mentions = n % 3;
  citation.marker = "[" + std::to_string(n % 50) + "]";
  for (int i = 0; i < n % 3; ++i) {
    citation.contexts.push_back(
        {"Section " + std::to_string(i), "We follow number " + std::to_string(n - 1) + "."});
  }
  return citation;
}

}  // namespace mustcite::testing
