#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "apps/audit/latex/reader.hpp"
#include "mustcite/error.hpp"

namespace mustcite::audit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Draft read(std::map<std::string, std::string> files, const std::string& main_file = "main.tex") {
  return latex::read_latex(MemoryTree(std::move(files)), main_file, {});
}

/// A document around a body.
Draft read_body(const std::string& body) {
  return read({{"main.tex", "\\documentclass{article}\n\\begin{document}\n" + body + "\n\\end{document}\n"}});
}

std::vector<std::string> keys(const Draft& draft) {
  std::vector<std::string> result;
  for (const auto& mention : draft.mentions) result.push_back(mention.key);
  return result;
}

std::vector<std::string> aside(const Draft& draft) {
  std::vector<std::string> result;
  for (const auto& item : draft.set_aside) result.push_back(item.key + " " + item.reason);
  return result;
}

std::string problems(const Draft& draft) {
  std::string all;
  for (const auto& problem : draft.problems) all += problem.where.file + ":" + std::to_string(problem.where.line) + " " + problem.what + "\n";
  return all;
}

TEST(LatexReader, FindsTitleAbstractSectionsAndTheSentenceOfAMention) {
  const Draft draft = read({{"main.tex", R"(\documentclass{article}
\title{On the \emph{Taste} of Tea\thanks{Money.}}
\author{A. Person \and B. Person}
\begin{document}
\maketitle
\begin{abstract}
We taste tea \cite{old}. It is good.
\end{abstract}
\section{Introduction}
Tea is old. Cups by \citet{potter}, e.g. of clay, are new. The end.
\subsection{Our setup}
\section*{Experiments}\label{sec:x}
We pour.
\end{document}
)"}});
  EXPECT_EQ(draft.title, "On the Taste of Tea");
  EXPECT_EQ(draft.abstract, "We taste tea . It is good.");
  ASSERT_EQ(draft.sections.size(), 5U);
  EXPECT_EQ(draft.sections[0].kind, SectionKind::abstract);
  EXPECT_EQ(draft.sections[2].title, "Introduction");
  EXPECT_EQ(draft.sections[3].path, "Introduction > Our setup");
  EXPECT_EQ(draft.sections[4].kind, SectionKind::experiments);
  EXPECT_EQ(draft.sections[4].where.line, 12U);
  ASSERT_THAT(keys(draft), ElementsAre("old", "potter"));
  EXPECT_EQ(draft.mentions[1].command, "citet");
  EXPECT_EQ(draft.mentions[1].where.line, 10U);
  EXPECT_EQ(draft.sections[draft.mentions[1].section].title, "Introduction");
  EXPECT_EQ(draft.sentence(draft.mentions[1]), "Cups by [potter], e.g. of clay, are new.");
  EXPECT_EQ(draft.text.substr(draft.mentions[1].begin, draft.mentions[1].end - draft.mentions[1].begin), "[potter]");
}

TEST(LatexReader, ReadsEveryFormOfCitationCommand) {
  const struct {
    const char* body;
    std::vector<std::string> expected;
  } cases[] = {
      {R"(\cite{a}\cite[p.~3]{b}\cite [see][ch. 2] {c , d})", {"a", "b", "c", "d"}},
      {R"(\citep*{a}\citealp{b}\citeauthor{c}\citeyearpar{d}\Citet{e}\citealt*[x]{f})", {"a", "b", "c", "d", "e", "f"}},
      {R"(\autocite[1]{a}\parencite{b}\textcite{c}\footcite{d}\supercite{e}\fullcite{f})", {"a", "b", "c", "d", "e", "f"}},
      {R"(\cites(see)(end)[1]{a}[2]{b}{c}\textcites{d}{e} {no key})", {"a", "b", "c", "d", "e"}},
      {R"(\volcite{2}{a}\citefield{b}{title}\citeposs{c}\newcite{d}\shortcite{e}\cite<see>{f})", {"a", "b", "c", "d", "e", "f"}},
      {"\\citep{\n  a, % first\n  b,%second\n  c\n}", {"a", "b", "c"}},
      {R"(\citep[see][and \citealt{b}]{a})", {"a", "b"}},
      {R"(\citetext{\citealp{a} and \citealp{b}})", {"a", "b"}},
      {R"(\defcitealias{a}{Paper I} \citetalias{a})", {"a"}},
      {R"(\cite{smith:2020/x-y+z.1})", {"smith:2020/x-y+z.1"}},
      {R"(\cite{})", {}},
      {R"(\citestyle{plain}\setcitestyle{square})", {}},
  };
  for (const auto& c : cases) EXPECT_EQ(keys(read_body(c.body)), c.expected) << c.body;
}

TEST(LatexReader, KnowsNociteAsSilentAndTheStarAsEverything) {
  const Draft draft = read_body(R"(Text.\nocite{a, b}\nocite{*})");
  ASSERT_THAT(keys(draft), ElementsAre("a", "b"));
  EXPECT_TRUE(draft.mentions[0].silent);
  EXPECT_TRUE(draft.cites_everything);
  EXPECT_EQ(draft.text, "Text.");
}

TEST(LatexReader, FollowsTheDraftsOwnMacros) {
  EXPECT_THAT(keys(read_body(R"(\newcommand{\mycite}{\citep}\mycite{a}, \mycite [x] {b})")), ElementsAre("a", "b"));
  EXPECT_THAT(keys(read_body(R"(\newcommand*\pc[2][see]{\citep[#1]{#2}}\pc{a}\pc[cf.]{b})")), ElementsAre("a", "b"));
  EXPECT_THAT(keys(read_body(R"(\def\bert#1{BERT~\cite{devlin#1}}\bert{18})")), ElementsAre("devlin18"));
  EXPECT_THAT(keys(read_body(R"(\let\old\cite \renewcommand{\cite}[1]{\textcolor{red}{\old{#1}}}\cite{a})")), ElementsAre("a"));
  EXPECT_THAT(keys(read_body(R"(\let\old=\citep\old{a})")), ElementsAre("a"));
  EXPECT_THAT(keys(read_body(R"(\NewDocumentCommand{\x}{O{} m}{\cite{#2}}\x[1]{a}\x{b})")), ElementsAre("a", "b"));
  EXPECT_THAT(keys(read_body(R"(\newcommand{\citeneeded}[1]{[CITE: #1]}\citeneeded{someone})")), IsEmpty());
}

TEST(LatexReader, StopsMacrosThatExpandWithoutEnd) {
  const Draft loop = read_body(R"(\newcommand{\a}{\b}\newcommand{\b}{\a}\a \cite{k})");
  EXPECT_THAT(keys(loop), Contains("k"));
  EXPECT_THAT(problems(loop), HasSubstr("main.tex:3 \\"));
  // Doubling forty times would be a million million calls.
  std::string bomb = R"(\def\x{\cite{z}})";
  for (char c = 'a'; c < 'z'; ++c) {
    if (c == 'x') continue;
    bomb += std::string("\\def\\q") + c + "{" + (c == 'a' ? "\\x\\x" : std::string("\\q") + static_cast<char>(c == 'y' ? 'w' : c - 1) + "\\q" + static_cast<char>(c == 'y' ? 'w' : c - 1)) + "}";
  }
  const Draft bounded = read_body(bomb + "\\qy \\cite{k}");
  EXPECT_THAT(keys(bounded), Contains("k"));
}

TEST(LatexReader, SetsAsideWhatIsNotTypeset) {
  const Draft draft = read_body(R"(\cite{a} 50\% \cite{b} % \cite{c}
\iffalse \cite{d} \ifx\a\b \cite{e} \fi \else \cite{f} \fi
\begin{comment} \citep{g} \end{comment}
\begin{verbatim} \cite{h} \end{verbatim} \verb|\cite{i}|
\newif\ifdraft \ifdraft \cite{j} \else \cite{k} \fi \drafttrue \ifdraft \cite{l} \else \cite{m} \fi
$a \iff b$ \cite{n}
\end{document}
\cite{o})");
  EXPECT_THAT(keys(draft), ElementsAre("a", "b", "f", "k", "l", "n"));
  EXPECT_THAT(aside(draft), ElementsAre("c in a comment", "d in a part that is switched off", "e in a part that is switched off", "g in a comment",
                                        "h in verbatim text", "j in a part that is switched off", "m in a part that is switched off",
                                        "o after \\end{document}"));
  EXPECT_EQ(draft.set_aside.front().where.line, 3U);
}

TEST(LatexReader, ReadsBothBranchesOfConditionsItCannotDecide) {
  EXPECT_THAT(keys(read_body(R"(\ifnum\x<3 \cite{a}\else\cite{b}\fi \cite{c})")), ElementsAre("a", "b", "c"));
}

TEST(LatexReader, ReadsInputsFromTheMainFoldersAndOwnFolder) {
  const Draft draft = read({{"p/main.tex", R"(\documentclass{article}\begin{document}\input{parts/one}\include{two.tex}\input three
\import{deep/}{four}\subfile{five}\end{document})"},
                            {"p/parts/one.tex", R"(\cite{a}\input{beside})"},
                            {"p/parts/beside.tex", R"(\cite{b})"},
                            {"p/two.tex", R"(\cite{c})"},
                            {"p/three.tex", R"(\cite{d})"},
                            {"p/deep/four.tex", R"(\cite{e})"},
                            {"p/five.tex", R"(\documentclass[main]{subfiles}\begin{document}\cite{f}\end{document} \cite{g})"}},
                           "p/main.tex");
  EXPECT_THAT(keys(draft), ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_EQ(draft.mentions[1].where, (SourcePosition{"p/parts/beside.tex", 1}));
}

TEST(LatexReader, CutsCirclesAndRefusesFilesOutside) {
  const Draft draft = read({{"main.tex", R"(\documentclass{article}\begin{document}
\input{a}
\input{../secret}
\input{/etc/passwd}
\input{gone}
\cite{k}\end{document})"},
                            {"a.tex", "\\cite{x}\n\\input{b}"},
                            {"b.tex", "\\input{a}\\input{main}"}});
  EXPECT_THAT(keys(draft), ElementsAre("x", "k"));
  EXPECT_THAT(problems(draft), HasSubstr("b.tex:1 a.tex reads itself"));
  EXPECT_THAT(problems(draft), HasSubstr("b.tex:1 main.tex reads itself"));
  EXPECT_THAT(problems(draft), HasSubstr("main.tex:3 ../secret lies outside"));
  EXPECT_THAT(problems(draft), HasSubstr("main.tex:4 /etc/passwd lies outside"));
  EXPECT_THAT(problems(draft), HasSubstr("main.tex:5 gone is not there"));
}

TEST(LatexReader, GoesOnBehindBrokenLatex) {
  const Draft draft = read_body("\\section{Never closed\n\nText \\cite{a, b and no more\n \\begin{table} \\cite{c}\n\\end{figure}\n\\begin{comment} \\cite{d}\n\\cite{#1}\\cite{e}");
  EXPECT_THAT(keys(draft), Contains("a"));
  EXPECT_THAT(keys(draft), Contains("c"));
  EXPECT_THAT(keys(draft), Contains("d"));
  EXPECT_THAT(keys(draft), Contains("e"));
  EXPECT_EQ(draft.sections.front().title, "Never closed");
  EXPECT_THAT(problems(draft), HasSubstr("main.tex:3 the closing brace of a title or heading is missing"));
  EXPECT_THAT(problems(draft), HasSubstr("main.tex:5 the closing brace of \\cite is missing"));
  EXPECT_THAT(problems(draft), HasSubstr("\\begin{comment} is never ended"));
  EXPECT_THAT(problems(draft), HasSubstr("\\end{figure} without a beginning"));
}

TEST(LatexReader, TurnsMarkupIntoText) {
  const Draft draft = read_body(R"(Caf\'e na\"{\i}ve \v{S}koda, ``so'' --- 10\,\% of $x^2$~\textbf{bold} \LaTeX\ \ss\footnote{A note.} \ref{x}end)");
  EXPECT_EQ(draft.text, "Café naïve Škoda, “so” — 10 % of x^2 bold LaTeX ß (A note.) end");
}

TEST(LatexReader, ReadsThebibliographyWithAndWithoutLabels) {
  const Draft draft = read_body(R"(\cite{vas}\begin{thebibliography}{9}
\bibitem[{Vaswani et~al.(2017)Vaswani, Shazeer}]{vas}
Ashish Vaswani, Noam Shazeer, and {\L}ukasz Kaiser.
\newblock Attention is all you need.
\newblock In \emph{NIPS}, 2017. arXiv:1706.03762v5.
\bibitem{plain} A. Smith and B.~C. Jones, ``A title of five words,'' \textit{Some Journal}, vol. 3, 2019. doi:10.1000/ABC.5
\bibitem Lost key
\end{thebibliography})");
  ASSERT_EQ(draft.bibliography.size(), 2U);
  const Reference& first = draft.bibliography[0].reference;
  EXPECT_EQ(first.key, "vas");
  EXPECT_EQ(first.title, "Attention is all you need");
  EXPECT_THAT(first.authors, ElementsAre("Ashish Vaswani", "Noam Shazeer", "Łukasz Kaiser"));
  EXPECT_EQ(first.year, 2017);
  EXPECT_EQ(first.arxiv_id, "1706.03762");
  EXPECT_EQ(draft.bibliography[0].where.line, 4U);
  const Reference& second = draft.bibliography[1].reference;
  EXPECT_EQ(second.title, "A title of five words");
  EXPECT_THAT(second.authors, ElementsAre("A. Smith", "B. C. Jones"));
  EXPECT_EQ(second.doi, "10.1000/abc.5");
  EXPECT_EQ(second.year, 2019);
  EXPECT_TRUE(draft.printed_bibliography);
  EXPECT_THAT(problems(draft), HasSubstr("main.tex:9 a \\bibitem without a key"));
}

TEST(LatexReader, FallsBackOnTheBblWhenTheDatabaseIsNotThere) {
  const std::string main_file = R"(\documentclass{article}\begin{document}\cite{a}\bibliography{refs}\end{document})";
  const Draft draft = read({{"main.tex", main_file}, {"main.bbl", R"(\begin{thebibliography}{1}\bibitem{a} A. Bee. A title. 2001.\end{thebibliography})"}});
  ASSERT_EQ(draft.bibliography.size(), 1U);
  EXPECT_THAT(problems(draft), Not(HasSubstr("refs.bib")));
  EXPECT_THAT(problems(read({{"main.tex", main_file}})), HasSubstr("the bibliography refs.bib is not there"));
}

TEST(LatexReader, ReadsBiblatexBblAndDatabasesWrittenByFilecontents) {
  const Draft bbl = read({{"main.tex", R"(\documentclass{article}\addbibresource{x.bib}\begin{document}\cite{a}\end{document})"},
                          {"main.bbl", R"(\entry{a}{article}{}
 \name{author}{2}{}{ {{hash=1}{family={Doe}, familyi={D\bibinitperiod}, given={Jane}, giveni={J\bibinitperiod}}}
  {{hash=2}{family={Roe},given={Richard}}} }
 \field{title}{Some Title} \field{year}{2003}
\endentry)"}});
  ASSERT_EQ(bbl.bibliography.size(), 1U);
  EXPECT_EQ(bbl.bibliography[0].reference.title, "Some Title");
  EXPECT_THAT(bbl.bibliography[0].reference.authors, ElementsAre("Jane Doe", "Richard Roe"));
  const Draft embedded = read({{"main.tex", "\\begin{filecontents*}{own.bib}\n@misc{k, title={Own Title}, year=2011}\n\\end{filecontents*}\n"
                                            "\\documentclass{article}\\begin{document}\\cite{k}\\bibliography{own}\\end{document}"}});
  ASSERT_EQ(embedded.bibliography.size(), 1U);
  EXPECT_EQ(embedded.bibliography[0].reference.title, "Own Title");
}

TEST(LatexReader, ReadsLatin1AndSaysSo) {
  const Draft draft = read({{"main.tex", "\\documentclass{article}\\title{Caf\xE9}\\begin{document}\\cite{a}\\bibliography{r}\\end{document}"},
                            {"r.bib", "@misc{a, title={Gr\xFC\xDF e}, author={M\xFCller, J.}, year=1999}"}});
  EXPECT_EQ(draft.title, "Café");
  EXPECT_EQ(draft.bibliography.at(0).reference.title, "Grüß e");
  EXPECT_THAT(problems(draft), HasSubstr("main.tex:0 the file is not UTF-8"));
  EXPECT_THAT(problems(draft), HasSubstr("r.bib:0 the file is not UTF-8"));
}

TEST(LatexReader, TellsWhatADraftLacks) {
  const std::string text = problems(read_body("Nothing but text."));
  EXPECT_THAT(text, HasSubstr("the draft has no title"));
  EXPECT_THAT(text, HasSubstr("the draft has no abstract"));
  EXPECT_THAT(text, HasSubstr("the draft has no bibliography"));
  EXPECT_THROW((void)read({}, "main.tex"), Error);
}

TEST(LatexReader, BoundsDeepNestingAndHugeFiles) {
  const Draft deep = read_body(std::string(200'000, '{') + "\\cite{a}" + std::string(200'000, '}') + "\\cite{b}");
  EXPECT_THAT(keys(deep), ElementsAre("a", "b"));
  EXPECT_THAT(problems(deep), HasSubstr("nested too deep"));
  // Hundreds of thousands of headings and citations, as in a file of many megabytes.
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "\\section{Part} Some \\cite{a, b} text.\n";
  EXPECT_EQ(read_body(many).mentions.size(), 200'000U);
  // Arguments that never end must not be looked for again and again.
  std::string open;
  for (int i = 0; i < 100'000; ++i) open += "\\label{\\cite{";
  EXPECT_THAT(read_body(open).mentions, IsEmpty());
  std::string begins;
  for (int i = 0; i < 50'000; ++i) begins += "\\begin{comment}\\iffalse\\begin{x}";
  EXPECT_FALSE(problems(read_body(begins)).empty());
}

TEST(MainFile, PrefersTheDraftToTemplatesPicturesAndParts) {
  const std::string head = "\\documentclass{article}\n\\begin{document}\n";
  std::vector<Problem> notes;
  const MemoryTree tree({{"template.tex", "\\documentclass{article}\n\\title{Formatting Instructions for Authors}\n\\begin{document}\n" + std::string(5000, 'x') + "\\end{document}"},
                         {"figure.tex", "\\documentclass{standalone}\n\\begin{document}\n" + std::string(9000, 'x') + "\\end{document}"},
                         {"draft.tex", head + "\\input{body}\\end{document}"},
                         {"body.tex", std::string(3000, 'x')},
                         {"old.tex", "% \\documentclass{article}\n\\begin{document}" + std::string(9000, 'x')}});
  EXPECT_EQ(latex::find_main_file(tree, notes), "draft.tex");
  EXPECT_THAT(notes, IsEmpty());
  EXPECT_EQ(latex::find_main_file(MemoryTree(std::map<std::string, std::string>{{"a.tex", "no document"}}), notes), "");
  const MemoryTree two({{"v1.tex", head + std::string(900, 'x')}, {"v2.tex", head + std::string(1000, 'x')}});
  EXPECT_EQ(latex::find_main_file(two, notes), "v2.tex");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].where.file, "v1.tex");
}

}  // namespace
}  // namespace mustcite::audit
