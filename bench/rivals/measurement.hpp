#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"

namespace mustcite::bench {

/// The texts, by `text_of(title, abstract)`, of the first `count` papers with an abstract in a JSONL file.
template <typename TextOf>
std::vector<std::string> read_texts(const std::string& file, std::size_t count, TextOf text_of) {
  std::vector<std::string> texts;
  io::LineReader lines(file);
  std::string_view line;
  while (texts.size() < count && lines.next(line)) {
    const Paper paper = paper_from_json(line);
    if (!paper.abstract.empty()) texts.push_back(text_of(paper.title, paper.abstract));
  }
  return texts;
}

/// `run` as a program: what it throws goes to stderr behind the program's name, with exit code 1.
inline int measure(const char* program, int (*run)(int, char**), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace mustcite::bench
