#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/audit/draft.hpp"
#include "apps/audit/latex/commands.hpp"
#include "apps/audit/latex/macros.hpp"
#include "apps/audit/latex/scanner.hpp"
#include "apps/audit/source_tree.hpp"

namespace mustcite::audit::latex {

/// One reading of one draft: walks the sources once and fills the Draft.
class Reader {
 public:
  Reader(const SourceTree& tree, const ReadLimits& limits) : tree_(tree), limits_(limits) {}
  Draft read(const std::string& main_file);

 private:
  /// What happens with the text of a group when it closes.
  enum class Closing { nothing, title, abstract, heading, discard, footnote };
  struct Group {
    Closing closing = Closing::nothing;
    std::size_t begin = 0;  ///< in the text
    int level = 0;          ///< of a heading
    Place place;
  };
  struct Environment {
    std::string name;
    std::size_t begin = 0;
    Place place;
  };
  enum class Branch { taken, unknown };

  // reader.cpp: the walk
  void step();
  void leave_text();
  void plain_text();
  void white_space();
  void comment();
  void command();
  bool layout_command(const std::string& name);
  void open_group(Closing closing, int level = 0);
  void close_group();
  void finish_group(const Group& group);
  void add_section(const std::string& title, int level);
  void add_authors(std::string_view block);
  void finish();

  // reader_text.cpp: text, places, problems
  void put(std::string_view text);
  void put_space();
  void put_paragraph();
  void cut_text(std::size_t size);
  void put_accent(const char* mark);
  void problem(const Place& place, std::string what);
  [[nodiscard]] SourcePosition position(const Place& place) const;
  void set_aside(std::string_view text, std::size_t offset, const char* reason);

  // reader_cites.cpp: citations
  bool citation(const std::string& name);
  void keys(std::string_view list, const std::string& command, const Place& place, bool silent);

  // reader_files.cpp: files, environments and conditionals
  bool file_command(const std::string& name);
  void input(std::string name, const std::string& folder);
  void push_file(const std::string& path, std::string content);
  void bibliography_names(std::string_view list);
  void begin_environment();
  void end_environment();
  void verbatim_environment(const std::string& name);
  void bibliography_environment();
  void begin_document();
  bool conditional(const std::string& name);
  /// Skips to the \fi (or \else) that ends the branch. False when there is none.
  bool skip_branch(bool stop_at_else);
  void read_bibliography_files();

  const SourceTree& tree_;
  ReadLimits limits_;
  Draft draft_;
  Scanner scanner_;
  MacroTable macros_;
  std::vector<std::string> file_names_;
  std::map<std::string, std::string> embedded_;  ///< files written by filecontents
  std::vector<std::size_t> file_text_begin_;
  std::vector<std::string> bibliography_files_;
  std::vector<Group> groups_;
  std::size_t groups_too_deep_ = 0;
  std::vector<Environment> environments_;
  std::vector<Branch> branches_;
  std::unordered_map<std::string, bool> flags_;
  std::string main_folder_;
  std::size_t bytes_read_ = 0;
  std::size_t bytes_expanded_ = 0;
  std::size_t calls_in_a_row_ = 0;
  std::size_t wasted_ = 0;
  bool in_appendix_ = false;
  bool has_document_ = false;
  bool full_ = false;
};

}  // namespace mustcite::audit::latex
