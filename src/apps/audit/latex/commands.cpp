#include "apps/audit/latex/commands.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace mustcite::audit::latex {
namespace {

using Names = std::unordered_set<std::string_view>;

const std::unordered_map<std::string_view, CiteShape>& known_cites() {
  static const std::unordered_map<std::string_view, CiteShape> kKnown = [] {
    std::unordered_map<std::string_view, CiteShape> known;
    for (const auto* name :
         {"cite", "citet", "citep", "citealt", "citealp", "citeauthor", "citefullauthor", "citeyear", "citeyearpar",
          "citenum", "Cite", "Citet", "Citep", "Citealt", "Citealp", "Citeauthor", "citetalias", "citepalias", "citeposs",
          "parencite", "Parencite", "textcite", "Textcite", "autocite", "Autocite", "footcite", "Footcite", "footcitetext",
          "smartcite", "Smartcite", "supercite", "fullcite", "footfullcite", "citetitle", "citedate", "citeurl", "notecite",
          "Notecite", "pnotecite", "fnotecite", "citeA", "citeNP", "citeN", "citeauthorNP", "citeyearNP", "shortcite",
          "shortciteA", "shortciteN", "newcite", "onlinecite", "bibentry", "citeasnoun", "possessivecite", "fullciteA", "avolcites",
          "citepos"}) {
      known[name] = CiteShape::plain;
    }
    for (const auto* name : {"cites", "Cites", "parencites", "Parencites", "textcites", "Textcites", "autocites", "Autocites",
                             "footcites", "Footcites", "footcitetexts", "smartcites", "Smartcites", "supercites"}) {
      known[name] = CiteShape::several;
    }
    for (const auto* name : {"volcite", "Volcite", "pvolcite", "Pvolcite", "fvolcite", "ftvolcite", "svolcite", "Svolcite",
                             "tvolcite", "Tvolcite", "avolcite", "Avolcite"}) {
      known[name] = CiteShape::volume;
    }
    for (const auto* name : {"citefield", "citelist", "citename"}) known[name] = CiteShape::field;
    known["defcitealias"] = CiteShape::alias;
    known["nocite"] = CiteShape::silent;
    return known;
  }();
  return kKnown;
}

const Names& not_cites() {
  static const Names kNames{"citestyle", "setcitestyle", "citetext", "citenamefont", "citeindextrue", "citeindexfalse",
                            "bibcite", "DeclareCiteCommand", "citesetup", "citereset", "citetrackerfalse",
                            "citetrackertrue", "citemid", "citeleft", "citeright", "citepunct", "citeform", "citeopen",
                            "citeclose", "multicitedelim", "citesep", "AtEveryCite", "AtEveryCitekey", "AtNextCite",
                            "citepunctuation", "citeInPreamble", "DeclareMultiCiteCommand", "citesfalse", "citestrue"};
  return kNames;
}

}  // namespace

bool is_known_cite(std::string_view name) { return known_cites().contains(name); }

CiteShape cite_shape(std::string_view name) {
  const auto& known = known_cites();
  if (const auto found = known.find(name); found != known.end()) return found->second;
  if (not_cites().contains(name)) return CiteShape::none;
  if (name.find("cite") == std::string_view::npos && name.find("Cite") == std::string_view::npos) return CiteShape::none;
  if (name.find('@') != std::string_view::npos) return CiteShape::none;  // insides of packages
  return CiteShape::plain;
}

bool is_structural(std::string_view name) {
  static const Names kNames{"begin", "end", "input", "include", "subfile", "import", "subimport", "documentclass",
                            "section", "subsection", "subsubsection", "paragraph", "chapter", "part", "appendix",
                            "title", "abstract", "author", "bibliography", "addbibresource", "bibitem", "item", "fi",
                            "else", "iffalse", "iftrue", "newcommand", "renewcommand", "def", "let", "maketitle",
                            "textbf", "emph", "textit", "footnote", "label", "ref", "par", "usepackage", "thanks",
                            "newblock", "verb", "url", "href", "bibliographystyle", "caption", "includegraphics"};
  return kNames.contains(name);
}

int arguments_without_text(std::string_view name) {
  static const std::unordered_map<std::string_view, int> kCounts{
      {"label", 1}, {"ref", 1}, {"eqref", 1}, {"pageref", 1}, {"autoref", 1}, {"cref", 1}, {"Cref", 1}, {"vref", 1},
      {"nameref", 1}, {"includegraphics", 1}, {"graphicspath", 1}, {"vspace", 1}, {"hspace", 1}, {"setlength", 2},
      {"addtolength", 2}, {"setcounter", 2}, {"addtocounter", 2}, {"bibliographystyle", 1}, {"usepackage", 1},
      {"RequirePackage", 1}, {"PassOptionsToPackage", 2}, {"documentclass", 1}, {"pagestyle", 1}, {"thispagestyle", 1},
      {"definecolor", 3}, {"color", 1}, {"textcolor", 1}, {"colorbox", 1}, {"rowcolor", 1}, {"cellcolor", 1},
      {"multicolumn", 2}, {"multirow", 2}, {"cline", 1}, {"cmidrule", 1}, {"url", 1}, {"href", 1}, {"hypersetup", 1},
      {"thanks", 1}, {"icmlaffiliation", 2}, {"icmlcorrespondingauthor", 2}, {"icmlsetsymbol", 2},
      {"icmlkeywords", 1}, {"icmltitlerunning", 1}, {"affil", 1}, {"affiliation", 1}, {"email", 1}, {"address", 1},
      {"institute", 1}, {"date", 1}, {"newtheorem", 2}, {"theoremstyle", 1}, {"DeclareMathOperator", 2},
      {"newcounter", 1}, {"newlength", 1}, {"setcitestyle", 1}, {"citestyle", 1}, {"hyphenation", 1},
      {"pdfinfo", 1}, {"usetikzlibrary", 1}, {"pgfplotsset", 1}, {"tikzset", 1}, {"lstset", 1}, {"lstdefinestyle", 2},
      {"captionsetup", 1}, {"newenvironment", 3}, {"renewenvironment", 3}, {"NewDocumentEnvironment", 4},
      {"newfloat", 1}, {"titleformat", 1}, {"rule", 2}, {"phantom", 1}, {"hphantom", 1}, {"vphantom", 1}, {"ensuremath", 0},
      {"includeonly", 1}, {"cbcolor", 1}, {"setmainfont", 1}, {"fontsize", 2}, {"resizebox", 2}, {"scalebox", 1},
      {"rotatebox", 1}, {"raisebox", 1}, {"parbox", 1}, {"crefname", 3}, {"Crefname", 3}, {"hyperref", 0},
      {"addcontentsline", 3}, {"hyperlink", 1}, {"hypertarget", 1}, {"newacronym", 3}, {"allowdisplaybreaks", 0},
      {"numberwithin", 2}, {"AtBeginDocument", 1}, {"AtEndDocument", 1}, {"orcid", 1}, {"ccsdesc", 1}, {"keywords", 1},
      {"acmConference", 3}, {"acmDOI", 1}, {"acmISBN", 1}, {"setcopyright", 1}, {"acmJournal", 1}, {"acmYear", 1},
      {"foreach", 0}, {"nolinkurl", 1}, {"path", 1}, {"DeclareCiteCommand", 4}, {"citenamefont", 1}, {"bibcite", 2}};
  const auto found = kCounts.find(name);
  return found == kCounts.end() ? -1 : found->second;
}

int heading_level(std::string_view name) {
  static const std::unordered_map<std::string_view, int> kLevels{{"part", 0}, {"chapter", 0}, {"section", 1},
                                                                 {"subsection", 2}, {"subsubsection", 3}, {"paragraph", 4},
                                                                 {"subparagraph", 4}};
  const auto found = kLevels.find(name);
  return found == kLevels.end() ? -1 : found->second;
}

const char* symbol(std::string_view name) {
  static const std::unordered_map<std::string_view, const char*> kSymbols{
      {"&", "&"}, {"%", "%"}, {"$", "$"}, {"#", "#"}, {"_", "_"}, {"{", "{"}, {"}", "}"}, {" ", " "}, {"\n", " "},
      {"\\", " "}, {",", " "}, {";", " "}, {":", " "}, {"!", ""}, {"/", ""}, {"-", ""}, {"@", ""}, {"\t", " "},
      {"quad", " "}, {"qquad", " "}, {"newline", " "}, {"linebreak", " "}, {"par", "\n\n"}, {"item", "\n\n"},
      {"ss", "ß"}, {"o", "ø"}, {"O", "Ø"}, {"ae", "æ"}, {"AE", "Æ"}, {"oe", "œ"}, {"OE", "Œ"}, {"aa", "å"}, {"AA", "Å"},
      {"l", "ł"}, {"L", "Ł"}, {"i", "ı"}, {"j", "ȷ"}, {"dh", "ð"}, {"th", "þ"}, {"ldots", "…"}, {"dots", "…"},
      {"cdots", "…"}, {"textellipsis", "…"}, {"LaTeX", "LaTeX"}, {"TeX", "TeX"}, {"BibTeX", "BibTeX"},
      {"textasciitilde", "~"}, {"textbackslash", "\\"}, {"textendash", "–"}, {"textemdash", "—"}, {"S", "§"}, {"P", "¶"},
      {"copyright", "©"}, {"pounds", "£"}, {"euro", "€"}, {"textregistered", "®"}, {"texttrademark", "™"},
      {"textquotesingle", "'"}, {"textbar", "|"}, {"textless", "<"}, {"textgreater", ">"}, {"textdegree", "°"},
      {"times", "×"}, {"pm", "±"}, {"leq", "≤"}, {"geq", "≥"}, {"le", "≤"}, {"ge", "≥"}, {"approx", "≈"}, {"infty", "∞"},
      {"alpha", "α"}, {"beta", "β"}, {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ϵ"}, {"varepsilon", "ε"}, {"lambda", "λ"},
      {"mu", "μ"}, {"pi", "π"}, {"sigma", "σ"}, {"theta", "θ"}, {"phi", "ϕ"}, {"tau", "τ"}, {"omega", "ω"}, {"ell", "ℓ"},
      {"rightarrow", "→"}, {"to", "→"}, {"xspace", ""}, {"slash", "/"}, {"cdot", "·"}, {"sim", "∼"}, {"textmu", "μ"}};
  const auto found = kSymbols.find(name);
  return found == kSymbols.end() ? nullptr : found->second;
}

const char* accent(std::string_view name) {
  static const std::unordered_map<std::string_view, const char*> kMarks{
      {"'", "\xCC\x81"}, {"`", "\xCC\x80"}, {"^", "\xCC\x82"}, {"\"", "\xCC\x88"}, {"~", "\xCC\x83"}, {"=", "\xCC\x84"},
      {".", "\xCC\x87"}, {"u", "\xCC\x86"}, {"v", "\xCC\x8C"}, {"H", "\xCC\x8B"}, {"c", "\xCC\xA7"}, {"k", "\xCC\xA8"},
      {"r", "\xCC\x8A"}, {"b", "\xCC\xB1"}, {"d", "\xCC\xA3"}};
  const auto found = kMarks.find(name);
  return found == kMarks.end() ? nullptr : found->second;
}

bool is_verbatim_environment(std::string_view name) {
  static const Names kNames{"verbatim", "verbatim*", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted", "comment",
                            "filecontents", "filecontents*", "tcblisting"};
  return kNames.contains(name);
}

int environment_arguments(std::string_view name) {
  static const std::unordered_map<std::string_view, int> kCounts{
      {"tabular", 1}, {"tabular*", 2}, {"tabularx", 2}, {"tabulary", 2}, {"array", 1}, {"longtable", 1}, {"minipage", 1},
      {"multicols", 1}, {"wrapfigure", 2}, {"wraptable", 2}, {"subfigure", 1}, {"subtable", 1}, {"adjustbox", 1}, {"spacing", 1},
      {"list", 2}, {"threeparttable", 0}, {"tblr", 1}, {"NiceTabular", 1}, {"adjustwidth", 2}, {"alignat", 1}, {"alignat*", 1}};
  const auto found = kCounts.find(name);
  return found == kCounts.end() ? 0 : found->second;
}

bool is_tex_conditional(std::string_view name) {
  static const Names kNames{"if", "ifx", "ifnum", "ifdim", "ifodd", "ifcat", "ifvmode", "ifhmode", "ifmmode", "ifinner",
                            "ifcase", "iftrue", "iffalse", "ifeof", "ifvoid", "ifhbox", "ifvbox", "ifdefined", "ifcsname",
                            "iffontchar", "ifpdf", "ifxetex", "ifluatex", "ifPDFTeX", "ifLuaTeX", "ifXeTeX"};
  return kNames.contains(name);
}

}  // namespace mustcite::audit::latex
