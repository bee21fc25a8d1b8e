#include "stages/link/venue.hpp"

#include <array>
#include <utility>

#include "core/text/normalise.hpp"

namespace mustcite::link {
namespace {

/// Lower case words parted by single spaces, with a space at both ends: whole words can be looked for.
std::string words_of(std::string_view printed) {
  std::string result = " ";
  for (const char c : text::fold(printed.substr(0, 400))) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) {
      result += c;
    } else if (result.back() != ' ') {
      result += ' ';
    }
  }
  if (result.back() != ' ') result += ' ';
  return result;
}

struct Name {
  std::string_view mark;
  std::string_view venue;
};

// Longer marks stand before shorter ones that they contain.
constexpr std::array kNames{
    Name{" arxiv ", "arxiv"},
    Name{" corr ", "arxiv"},
    Name{" biorxiv ", "arxiv"},
    Name{" medrxiv ", "arxiv"},
    Name{" neural information processing systems ", "neurips"},
    Name{" neurips ", "neurips"},
    Name{" nips ", "neurips"},
    Name{" international conference on machine learning ", "icml"},
    Name{" icml ", "icml"},
    Name{" international conference on learning representations ", "iclr"},
    Name{" conference on learning representations ", "iclr"},
    Name{" iclr ", "iclr"},
    Name{" winter conference on applications of computer vision ", "wacv"},
    Name{" wacv ", "wacv"},
    Name{" asian conference on computer vision ", "accv"},
    Name{" european conference on computer vision ", "eccv"},
    Name{" eccv ", "eccv"},
    Name{" international conference on computer vision ", "iccv"},
    Name{" iccv ", "iccv"},
    Name{" computer vision and pattern recognition ", "cvpr"},
    Name{" cvpr ", "cvpr"},
    Name{" north american chapter ", "naacl"},
    Name{" naacl ", "naacl"},
    Name{" european chapter ", "eacl"},
    Name{" eacl ", "eacl"},
    Name{" asia pacific chapter ", "aacl"},
    Name{" aacl ", "aacl"},
    Name{" empirical methods in natural language ", "emnlp"},
    Name{" emnlp ", "emnlp"},
    Name{" transactions of the association for computational linguistics ", "tacl"},
    Name{" tacl ", "tacl"},
    Name{" computational natural language learning ", "conll"},
    Name{" conll ", "conll"},
    Name{" annual meeting of the association for computational linguistics ", "acl"},
    Name{" findings of the association for computational linguistics ", "findings"},
    Name{" meeting of the acl ", "acl"},
    Name{" acl ", "acl"},
    Name{" association for computational linguistics ", "acl"},
    Name{" international joint conference on artificial intelligence ", "ijcai"},
    Name{" international joint conferences on artificial intelligence ", "ijcai"},
    Name{" ijcai ", "ijcai"},
    Name{" aaai ", "aaai"},
    Name{" association for the advancement of artificial intelligence ", "aaai"},
    Name{" artificial intelligence and statistics ", "aistats"},
    Name{" aistats ", "aistats"},
    Name{" uncertainty in artificial intelligence ", "uai"},
    Name{" uai ", "uai"},
    Name{" conference on learning theory ", "colt"},
    Name{" colt ", "colt"},
    Name{" algorithmic learning theory ", "alt"},
    Name{" conference on robot learning ", "corl"},
    Name{" corl ", "corl"},
    Name{" medical imaging with deep learning ", "midl"},
    Name{" learning on graphs ", "log"},
    Name{" conference on lifelong learning agents ", "collas"},
    Name{" journal of machine learning research ", "jmlr"},
    Name{" jmlr ", "jmlr"},
    Name{" transactions on machine learning research ", "tmlr"},
    Name{" tmlr ", "tmlr"},
    Name{" knowledge discovery and data mining ", "kdd"},
    Name{" kdd ", "kdd"},
    Name{" sigir ", "sigir"},
    Name{" research and development in information retrieval ", "sigir"},
    Name{" world wide web conference ", "www"},
    Name{" the web conference ", "www"},
    Name{" conference on language modeling ", "colm"},
    Name{" colm ", "colm"},
    Name{" international conference on computational linguistics ", "coling"},
    Name{" coling ", "coling"},
    Name{" interspeech ", "interspeech"},
    Name{" icassp ", "icassp"},
};

}  // namespace

std::string venue_name(std::string_view printed) {
  const std::string words = words_of(printed);
  for (const auto& name : kNames) {
    if (words.find(name.mark) != std::string::npos) {
      // A workshop at a conference is another venue.
      if (words.find(" workshop ") != std::string::npos || words.find(" workshops ") != std::string::npos) return {};
      return std::string(name.venue);
    }
  }
  return {};
}

bool is_preprint_venue(std::string_view printed) {
  const std::string words = words_of(printed);
  return words == " " || words.find(" arxiv ") != std::string::npos || words.find(" corr ") != std::string::npos ||
         words.find(" biorxiv ") != std::string::npos || words.find(" medrxiv ") != std::string::npos ||
         words.find(" preprint ") != std::string::npos || words.find(" openreview ") != std::string::npos;
}

}  // namespace mustcite::link
