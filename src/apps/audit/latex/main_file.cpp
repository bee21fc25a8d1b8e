#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "apps/audit/latex/reader.hpp"
#include "apps/audit/latex/scanner.hpp"

namespace mustcite::audit::latex {
namespace {

struct Candidate {
  std::string path;
  double weight = 0;
};

/// Files named by \input, \include, \subfile in the text, as written.
std::vector<std::string> named_inputs(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view command : {"\\input{", "\\include{", "\\subfile{"}) {
    for (std::size_t at = text.find(command); at != std::string_view::npos && names.size() < 500; at = text.find(command, at + 1)) {
      const std::size_t begin = at + command.size();
      const std::size_t end = text.find('}', begin);
      if (end == std::string_view::npos || end - begin > 300) continue;
      names.emplace_back(text.substr(begin, end - begin));
    }
  }
  return names;
}

/// What the file brings to print, inputs included: bytes between \begin{document} and \end{document}.
class Weigher {
 public:

  void add(const std::string& path, std::string content) { texts_[path] = without_comments(content); }
  [[nodiscard]] const std::string& text(const std::string& path) const { return texts_.at(path); }

  double reachable(const std::string& path, std::set<std::string>& seen) {
    if (!texts_.contains(path) || !seen.insert(path).second || seen.size() > 500) return 0;
    const std::string& text = texts_.at(path);
    std::size_t begin = text.find("\\begin{document}");
    std::size_t end = text.find("\\end{document}", begin == std::string::npos ? 0 : begin);
    if (begin == std::string::npos) begin = 0;
    if (end == std::string::npos) end = text.size();
    double bytes = static_cast<double>(end - begin);
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
    for (const std::string& name : named_inputs(std::string_view(text).substr(begin, end - begin))) {
      for (const std::string& full : {folder + name, folder + name + ".tex", name, name + ".tex"}) {
        const std::string normal = normal_path(full);
        if (texts_.contains(normal)) {
          read_by_others_.insert(normal);
          bytes += reachable(normal, seen);
          break;
        }
      }
    }
    return bytes;
  }

  [[nodiscard]] bool is_read_by_others(const std::string& path) const { return read_by_others_.contains(path); }

 private:
  std::map<std::string, std::string> texts_;
  std::set<std::string> read_by_others_;
};

/// Templates of conferences say so in their title.
bool is_template(const std::string& text) {
  for (const std::string_view mark : {"Instructions for", "Formatting Instructions", "Formatting instructions", "Author Guidelines",
                                      "Submission and Formatting", "Preparation of Papers", "Template for", "Sample Paper"}) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t title = text.rfind("title", at);
    if (title != std::string::npos && at - title < 200) return true;
  }
  return false;
}

}  // namespace

std::string find_main_file(const SourceTree& tree, std::vector<Problem>& problems) {
  Weigher weigher;
  std::vector<Candidate> candidates;
  std::size_t bytes = 0;
  for (const std::string& path : tree.files()) {
    if (!path.ends_with(".tex") && !path.ends_with(".ltx")) continue;
    std::string content;
    if (tree.read(path, content) != SourceTree::Found::yes || (bytes += content.size()) > (std::size_t{256} << 20)) continue;
    weigher.add(path, std::move(content));
    const std::string& text = weigher.text(path);
    const std::size_t head = text.find("\\documentclass");
    if (head != std::string::npos && text.find("\\begin{document}", head) != std::string::npos) candidates.push_back({path, 0});
  }
  for (Candidate& candidate : candidates) {
    std::set<std::string> seen;
    candidate.weight = weigher.reachable(candidate.path, seen);
    const std::string& text = weigher.text(candidate.path);
    const std::size_t head = text.find("\\documentclass");
    const std::string_view head_line = std::string_view(text).substr(head, std::min<std::size_t>(200, text.find('\n', head) - head));
    if (head_line.find("{standalone}") != std::string_view::npos || head_line.find("{subfiles}") != std::string_view::npos) candidate.weight *= 0.01;
    if (is_template(text)) candidate.weight *= 0.05;
  }
  for (Candidate& candidate : candidates) {
    if (weigher.is_read_by_others(candidate.path)) candidate.weight *= 0.05;
    const std::size_t slash = candidate.path.rfind('/');
    const std::string name = slash == std::string::npos ? candidate.path : candidate.path.substr(slash + 1);
    if (name == "main.tex" || name == "paper.tex" || name == "ms.tex") candidate.weight *= 1.5;
  }
  if (candidates.empty()) return {};
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
  for (std::size_t i = 1; i < std::min<std::size_t>(candidates.size(), 4); ++i) {
    if (candidates[i].weight > candidates[0].weight * 0.5) {
      Problem rival;
      rival.where.file = candidates[i].path;
      rival.what = fmt::format("this file could be the main file as well; {} is read (name the file to read another)", candidates[0].path);
      problems.push_back(std::move(rival));
    }
  }
  return candidates[0].path;
}

}  // namespace mustcite::audit::latex
