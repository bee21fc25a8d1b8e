#include "core/text/latex_commands.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace mustcite::text {
namespace {

struct Entry {
  std::string_view name;
  LatexCommand command;
};

std::vector<Entry> build_table() {
  std::vector<Entry> table;
  const auto add = [&](LatexKind kind, std::string_view names) {
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(' ', at), names.size());
      table.push_back({names.substr(at, end - at), {kind, {}}});
      at = end + 1;
    }
  };
  constexpr std::array<std::pair<std::string_view, std::string_view>, 66> symbols{
      {{"ss", "ß"},
       {"o", "ø"},
       {"O", "Ø"},
       {"l", "ł"},
       {"L", "Ł"},
       {"ae", "æ"},
       {"AE", "Æ"},
       {"oe", "œ"},
       {"OE", "Œ"},
       {"aa", "å"},
       {"AA", "Å"},
       {"i", "ı"},
       {"j", "ȷ"},
       {"dh", "ð"},
       {"DH", "Ð"},
       {"th", "þ"},
       {"TH", "Þ"},
       {"dj", "đ"},
       {"DJ", "Đ"},
       {"ng", "ŋ"},
       {"NG", "Ŋ"},
       {"S", "§"},
       {"P", "¶"},
       {"copyright", "©"},
       {"pounds", "£"},
       {"dag", "†"},
       {"ddag", "‡"},
       {"dots", "…"},
       {"ldots", "…"},
       {"textellipsis", "…"},
       {"slash", "/"},
       {"textendash", "–"},
       {"textemdash", "—"},
       {"textquoteleft", "‘"},
       {"textquoteright", "’"},
       {"textquotedblleft", "“"},
       {"textquotedblright", "”"},
       {"textquotesingle", "'"},
       {"textbackslash", "\\"},
       {"textasciitilde", "~"},
       {"textasciicircum", "^"},
       {"textunderscore", "_"},
       {"textregistered", "®"},
       {"texttrademark", "™"},
       {"textdegree", "°"},
       {"textmu", "µ"},
       {"textgreater", ">"},
       {"textless", "<"},
       {"textbar", "|"},
       {"textdollar", "$"},
       {"textperiodcentered", "·"},
       {"textbullet", "•"},
       {"textsection", "§"},
       {"texteuro", "€"},
       {"euro", "€"},
       {"textpm", "±"},
       {"texttimes", "×"},
       {"guillemotleft", "«"},
       {"guillemotright", "»"},
       {"LaTeX", "LaTeX"},
       {"TeX", "TeX"},
       {"BibTeX", "BibTeX"},
       {"textexclamdown", "¡"},
       {"textbraceleft", "{"},
       {"textbraceright", "}"},
       {"textquestiondown", "¿"}}};
  for (const auto& [name, value] : symbols) table.push_back({name, {LatexKind::symbol, value}});
  add(LatexKind::keep,
      "emph text textit textbf texttt textsc textsf textrm textsl textup textmd textnormal mbox hbox fbox "
      "underline uline ul url path nolinkurl uppercase lowercase MakeUppercase MakeLowercase acronym "
      "fixedcase "
      "textsuperscript textsubscript title section subsection paragraph centerline mathrm mathbf mathit "
      "mathsf "
      "mathtt boldsymbol bm operatorname so sout hl ac acl acs acf gls Gls glspl code lstinline "
      "texorpdfstring");
  add(LatexKind::keep_second, "href textcolor colorbox hyperref parbox raisebox resizebox");
  add(LatexKind::drop,
      "cite citep citet citeA citealt citealp citeauthor citeyear citeyearpar Citet Citep citenum parencite "
      "textcite autocite footcite cites ref label eqref autoref cref Cref pageref nameref footnote "
      "footnotemark "
      "footnotetext thanks vspace hspace index todo begin end color fontsize setlength usepackage "
      "documentclass "
      "includegraphics input bibliography bibliographystyle phantom noopsort");
  add(LatexKind::typeface,
      "em bf it sc sf tt rm sl bfseries mdseries itshape slshape scshape upshape ttfamily sffamily rmfamily "
      "normalfont tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge centering "
      "noindent "
      "protect xspace relax maketitle bgroup egroup allowbreak nobreak noindent sloppy leavevmode");
  add(LatexKind::space,
      "newline linebreak par item quad qquad hfill vfill hskip smallskip medskip bigskip space");
  add(LatexKind::quote, "enquote");
  add(LatexKind::ensure_maths, "ensuremath");
  add(LatexKind::maths,
      "frac dfrac tfrac sqrt mathcal mathbb mathfrak mathscr widetilde widehat tilde hat bar vec dot ddot "
      "overline "
      "sum prod int lim max min sup inf log exp ln Pr arg argmax argmin det dim ker left right big Big bigg "
      "Bigg "
      "in notin subset cup cap times cdot cdots pm mp leq geq le ge neq ne nu nabla neg not ni nmid nleq "
      "ngeq "
      "nonumber nolimits nearrow nexists nsubseteq natural approx sim simeq equiv infty partial to mapsto "
      "rightarrow leftarrow Rightarrow Leftarrow forall exists ell hbar Re Im alpha beta gamma delta epsilon "
      "varepsilon zeta eta theta vartheta iota kappa lambda mu xi pi varpi rho varrho sigma varsigma tau "
      "upsilon "
      "phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ll gg prec succ "
      "perp "
      "parallel mid langle rangle lfloor rfloor lceil rceil lVert rVert lvert rvert star ast circ bullet "
      "oplus "
      "otimes propto top bot angle prime emptyset varnothing setminus wedge vee stackrel underset overset "
      "binom mathop limits displaystyle textstyle");
  std::sort(table.begin(), table.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return table;
}

}  // namespace

LatexCommand latex_command(std::string_view name) noexcept {
  static const std::vector<Entry> table = build_table();
  const auto found =
      std::lower_bound(table.begin(), table.end(), name,
                       [](const Entry& entry, std::string_view key) { return entry.name < key; });
  return found != table.end() && found->name == name ? found->command : LatexCommand{};
}

char32_t latex_accent(std::string_view name) noexcept {
  if (name.size() != 1) return 0;
  switch (name[0]) {
    case '`':
      return 0x300;
    case '\'':
      return 0x301;
    case '^':
      return 0x302;
    case '~':
      return 0x303;
    case '=':
      return 0x304;
    case 'u':
      return 0x306;
    case '.':
      return 0x307;
    case '"':
      return 0x308;
    case 'r':
      return 0x30A;
    case 'H':
      return 0x30B;
    case 'v':
      return 0x30C;
    case 'd':
      return 0x323;
    case 'c':
      return 0x327;
    case 'k':
      return 0x328;
    case 'b':
      return 0x331;
    case 't':
      return 0x361;
    default:
      return 0;
  }
}

bool sets_words(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 12> names{"text",   "textit", "textbf",    "texttt",
                                                   "textsc", "textsf", "textrm",    "textsl",
                                                   "emph",   "mbox",   "underline", "textnormal"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace mustcite::text
