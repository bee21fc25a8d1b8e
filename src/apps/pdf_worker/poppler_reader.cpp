#include "apps/pdf_worker/poppler_reader.hpp"

#include <glib.h>
#include <poppler.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

namespace mustcite::pdf_worker {
namespace {

template <auto Free>
struct Releaser {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using DocumentPtr = std::unique_ptr<PopplerDocument, Releaser<g_object_unref>>;
using PagePtr = std::unique_ptr<PopplerPage, Releaser<g_object_unref>>;
using TextPtr = std::unique_ptr<char, Releaser<g_free>>;
using BytesPtr = std::unique_ptr<GBytes, Releaser<g_bytes_unref>>;
using ActionPtr = std::unique_ptr<PopplerAction, Releaser<poppler_action_free>>;

/// Names and titles may be in any encoding: what is no UTF-8 becomes U+FFFD.
std::string clean(const char* text) {
  if (text == nullptr) return {};
  const TextPtr valid(g_utf8_make_valid(text, -1));
  return valid.get();
}

float finite(double value) {
  return std::isfinite(value) ? static_cast<float>(std::clamp(value, -1e5, 1e5)) : 0.F;
}

struct Frame {
  PopplerRectangle crop{};
  double height = 0;
};

/// Places of destinations come in the file's own space, from the bottom left.
class Places {
 public:
  explicit Places(PopplerDocument* document) : document_(document) {
    frames_.resize(static_cast<std::size_t>(std::max(0, poppler_document_get_n_pages(document))));
    known_.resize(frames_.size());
  }
  void turn(int page, double left, double top, float& x, float& y) {
    x = finite(left);
    y = finite(top);
    if (page < 1 || static_cast<std::size_t>(page) > frames_.size()) return;
    const std::size_t at = static_cast<std::size_t>(page) - 1;
    if (!known_[at]) {
      known_[at] = true;
      if (const PagePtr loaded(poppler_document_get_page(document_, page - 1)); loaded) {
        poppler_page_get_crop_box(loaded.get(), &frames_[at].crop);
      }
    }
    x = finite(left - frames_[at].crop.x1);
    y = finite(frames_[at].crop.y2 - top);
  }

 private:
  PopplerDocument* document_;
  std::vector<Frame> frames_;
  std::vector<bool> known_;
};

class FontTable {
 public:
  explicit FontTable(std::vector<std::string>& names) : names_(names) {}
  std::uint16_t index(const char* name) {
    const std::string key = clean(name);
    const auto [at, added] =
        indices_.try_emplace(key, static_cast<std::uint16_t>(std::min<std::size_t>(names_.size(), 65'000)));
    if (added && names_.size() <= 65'000) names_.push_back(key);
    return std::min<std::uint16_t>(at->second, static_cast<std::uint16_t>(names_.size() - 1));
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint16_t> indices_;
};

struct Style {
  std::uint16_t font = 0;
  float size = 0;
};

std::vector<Style> styles_of(PopplerPage* page, std::size_t characters, FontTable& fonts) {
  std::vector<Style> styles(characters, Style{fonts.index(""), 0});
  GList* list = poppler_page_get_text_attributes(page);
  for (GList* item = list; item != nullptr; item = item->next) {
    const auto* run = static_cast<PopplerTextAttributes*>(item->data);
    const Style style{fonts.index(run->font_name), finite(run->font_size)};
    const auto end =
        std::min<std::size_t>(characters, static_cast<std::size_t>(std::max(0, run->end_index)) + 1);
    for (std::size_t at = static_cast<std::size_t>(std::max(0, run->start_index)); at < end; ++at)
      styles[at] = style;
  }
  poppler_page_free_text_attributes(list);
  return styles;
}

bool same_run(const Style& a, const Style& b, const PopplerRectangle& ra, const PopplerRectangle& rb) {
  return a.font == b.font && std::fabs(a.size - b.size) < 0.05F && std::fabs(ra.y1 - rb.y1) < 0.3 &&
         std::fabs(ra.y2 - rb.y2) < 0.3;
}

/// White space that the text leaves out, as between the cells of a table.
bool stand_apart(const PopplerRectangle& a, const PopplerRectangle& b, float size) {
  return b.x1 - a.x2 > 0.3 * size || b.x2 < a.x1 - 0.3 * size;
}

/// Characters one above the other: the run stands on end.
bool stands_on_end(const PopplerRectangle& first, const PopplerRectangle& last) {
  return std::fabs(first.x1 - last.x1) < 0.3 && std::fabs(first.x2 - last.x2) < 0.3 &&
         std::fabs(first.y1 - last.y1) > 1.0;
}

std::vector<gunichar> codes_of(const char* text) {
  std::vector<gunichar> codes;
  for (const char* cursor = text; cursor != nullptr && *cursor != 0; cursor = g_utf8_next_char(cursor))
    codes.push_back(g_utf8_get_char(cursor));
  return codes;
}

/// The characters of a page, one a rectangle. Poppler hands them over as a C string, so a character of code
/// 0, which broken encodings have, hides all behind it: they are asked for line by line then. What cannot be
/// told becomes a space.
std::vector<gunichar> characters_of(PopplerPage* page, const PopplerRectangle* rectangles,
                                    std::size_t count) {
  std::vector<gunichar> codes = codes_of(TextPtr(poppler_page_get_text(page)).get());
  while (codes.size() < count) {
    codes.push_back(' ');
    const std::size_t first = codes.size();
    std::size_t end = first;
    while (end < count && std::fabs(rectangles[end].y1 - rectangles[first].y1) < 0.3 &&
           (end == first || rectangles[end].x1 >= rectangles[end - 1].x1 - 0.5))
      ++end;
    if (end == first) break;
    const double middle = (rectangles[first].y1 + rectangles[first].y2) / 2;
    PopplerRectangle area{rectangles[first].x1, middle - 0.3, rectangles[end - 1].x2, middle + 0.3};
    const auto line = codes_of(TextPtr(poppler_page_get_text_for_area(page, &area)).get());
    for (std::size_t i = 0; i < line.size() && codes.size() < end; ++i) codes.push_back(line[i]);
  }
  return codes;
}

void read_words(PopplerPage* page, FontTable& fonts, pdf::Page& out, std::size_t room) {
  PopplerRectangle* rectangles = nullptr;
  guint count = 0;
  if (poppler_page_get_text_layout(page, &rectangles, &count) == FALSE) return;
  const std::unique_ptr<PopplerRectangle, Releaser<g_free>> owner(rectangles);
  const auto codes = characters_of(page, rectangles, count);
  const auto styles = styles_of(page, count, fonts);
  pdf::Word word;
  std::size_t first = 0;
  bool open = false;
  bool glued = false;
  const auto close = [&](std::size_t last) {
    if (!open) return;
    if (out.words.size() >= room)
      throw Refused(pdf::Refusal::too_much_text, "it has more words than allowed");
    PopplerRectangle box = rectangles[first];
    for (std::size_t at = first; at <= last; ++at) {
      box.x1 = std::min(box.x1, rectangles[at].x1);
      box.y1 = std::min(box.y1, rectangles[at].y1);
      box.x2 = std::max(box.x2, rectangles[at].x2);
      box.y2 = std::max(box.y2, rectangles[at].y2);
    }
    word.x0 = finite(box.x1);
    word.y0 = finite(box.y1);
    word.x1 = finite(box.x2);
    word.y1 = finite(box.y2);
    word.size = styles[first].size;
    word.font = styles[first].font;
    word.rotated = last > first && stands_on_end(rectangles[first], rectangles[last]);
    out.words.push_back(std::move(word));
    word = {};
    open = false;
  };
  std::size_t at = 0;
  for (; at < codes.size() && at < count; ++at) {
    const gunichar code = codes[at];
    if (code == ' ' || code == '\n' || code == '\t' || code == '\r' || code == 0xA0 || code == 0x0C) {
      close(at - (at > 0 ? 1 : 0));
      glued = false;
      continue;
    }
    if (open && at > 0 && stand_apart(rectangles[at - 1], rectangles[at], styles[at].size) &&
        !stands_on_end(rectangles[at - 1], rectangles[at])) {
      close(at - 1);
      glued = false;
    }
    if (open && (!same_run(styles[first], styles[at], rectangles[at - 1], rectangles[at]) ||
                 word.text.size() > 400)) {
      // Characters of a run that stands on end differ in height: they stay together.
      const bool upright = !stands_on_end(rectangles[at - 1], rectangles[at]);
      if (upright || word.text.size() > 400) {
        close(at - 1);
        glued = true;
      }
    }
    if (!open) {
      open = true;
      first = at;
      word.glued = glued;
    }
    char utf8[6];
    word.text.append(utf8, static_cast<std::size_t>(g_unichar_to_utf8(code, utf8)));
    glued = true;
  }
  if (at > 0) close(at - 1);
}

void read_links(PopplerPage* page, double height, Places& places, pdf::Page& out) {
  GList* list = poppler_page_get_link_mapping(page);
  for (GList* item = list; item != nullptr && out.links.size() < 100'000; item = item->next) {
    const auto* mapping = static_cast<PopplerLinkMapping*>(item->data);
    const PopplerAction* action = mapping->action;
    if (action == nullptr) continue;
    pdf::Link link;
    link.x0 = finite(std::min(mapping->area.x1, mapping->area.x2));
    link.x1 = finite(std::max(mapping->area.x1, mapping->area.x2));
    link.y0 = finite(height - std::max(mapping->area.y1, mapping->area.y2));
    link.y1 = finite(height - std::min(mapping->area.y1, mapping->area.y2));
    if (action->type == POPPLER_ACTION_GOTO_DEST && action->goto_dest.dest != nullptr) {
      const PopplerDest* dest = action->goto_dest.dest;
      if (dest->type == POPPLER_DEST_NAMED) {
        link.destination = clean(dest->named_dest);
      } else {
        link.page = static_cast<std::uint32_t>(std::max(0, dest->page_num));
        places.turn(dest->page_num, dest->left, dest->top, link.x, link.y);
      }
    } else if (action->type == POPPLER_ACTION_URI) {
      link.uri = clean(action->uri.uri);
    } else {
      continue;
    }
    if (!link.destination.empty() || !link.uri.empty() || link.page != 0)
      out.links.push_back(std::move(link));
  }
  poppler_page_free_link_mapping(list);
}

struct DestinationWalk {
  Places* places;
  std::vector<pdf::Destination>* out;
};

gboolean visit_destination(gpointer key, gpointer value, gpointer data) {
  const auto* walk = static_cast<DestinationWalk*>(data);
  const auto* dest = static_cast<PopplerDest*>(value);
  if (dest == nullptr || dest->page_num < 1) return FALSE;
  pdf::Destination found;
  found.name = clean(static_cast<const char*>(key));
  found.page = static_cast<std::uint32_t>(dest->page_num);
  found.has_x = dest->type == POPPLER_DEST_XYZ && dest->change_left != 0;
  walk->places->turn(dest->page_num, found.has_x ? dest->left : 0, dest->top, found.x, found.y);
  walk->out->push_back(std::move(found));
  return walk->out->size() >= 200'000 ? TRUE : FALSE;
}

void read_outline(PopplerDocument* document, PopplerIndexIter* iterator, std::uint32_t level, Places& places,
                  std::vector<pdf::OutlineItem>& out) {
  if (iterator == nullptr || level > 16) return;
  do {
    if (out.size() >= 10'000) return;
    const ActionPtr action(poppler_index_iter_get_action(iterator));
    if (action) {
      pdf::OutlineItem item;
      item.level = level;
      item.title = clean(action->any.title);
      if (action->type == POPPLER_ACTION_GOTO_DEST && action->goto_dest.dest != nullptr) {
        const PopplerDest* dest = action->goto_dest.dest;
        PopplerDest* resolved = nullptr;
        if (dest->type == POPPLER_DEST_NAMED) {
          item.destination = clean(dest->named_dest);
          resolved = poppler_document_find_dest(document, dest->named_dest);
          dest = resolved;
        }
        if (dest != nullptr && dest->page_num > 0) {
          float x = 0;
          item.page = static_cast<std::uint32_t>(dest->page_num);
          places.turn(dest->page_num, dest->left, dest->top, x, item.y);
        }
        if (resolved != nullptr) poppler_dest_free(resolved);
      }
      out.push_back(std::move(item));
    }
    PopplerIndexIter* child = poppler_index_iter_get_child(iterator);
    if (child != nullptr) {
      read_outline(document, child, level + 1, places, out);
      poppler_index_iter_free(child);
    }
  } while (poppler_index_iter_next(iterator) != FALSE);
}

bool has_end_mark(std::string_view file) {
  const std::string_view tail = file.substr(file.size() - std::min<std::size_t>(file.size(), 65'536));
  return tail.find("%%EOF") != std::string_view::npos || tail.find("startxref") != std::string_view::npos;
}

DocumentPtr open(std::string_view file) {
  if (file.substr(0, 1024).find("%PDF-") == std::string_view::npos) {
    throw Refused(pdf::Refusal::not_pdf, "it does not begin as a PDF file does");
  }
  const BytesPtr bytes(g_bytes_new_static(file.data(), file.size()));
  GError* error = nullptr;
  DocumentPtr document(poppler_document_new_from_bytes(bytes.get(), nullptr, &error));
  if (!document) {
    const bool encrypted =
        error != nullptr && error->domain == POPPLER_ERROR && error->code == POPPLER_ERROR_ENCRYPTED;
    const std::string message = error != nullptr ? clean(error->message) : "no reason given";
    g_clear_error(&error);
    if (encrypted) throw Refused(pdf::Refusal::encrypted, "it is encrypted with a password");
    if (!has_end_mark(file)) throw Refused(pdf::Refusal::damaged, "it is cut off: its end mark is missing");
    throw Refused(pdf::Refusal::damaged, "its structure is damaged (" + message + ")");
  }
  return document;
}

}  // namespace

pdf::Content read_content(std::string_view file, const pdf::Limits& limits) {
  const DocumentPtr document = open(file);
  const int pages = poppler_document_get_n_pages(document.get());
  if (pages <= 0) {
    if (!has_end_mark(file)) throw Refused(pdf::Refusal::damaged, "it is cut off: its end mark is missing");
    throw Refused(pdf::Refusal::no_pages, "it has no pages");
  }
  if (static_cast<std::uint32_t>(pages) > limits.max_pages) {
    throw Refused(pdf::Refusal::too_many_pages, "it has " + std::to_string(pages) + " pages, more than the " +
                                                    std::to_string(limits.max_pages) + " allowed");
  }
  if (!has_end_mark(file)) throw Refused(pdf::Refusal::damaged, "it is cut off: its end mark is missing");

  pdf::Content content;
  content.tool = std::string("poppler ") + poppler_get_version();
  content.title = clean(TextPtr(poppler_document_get_title(document.get())).get());
  content.author = clean(TextPtr(poppler_document_get_author(document.get())).get());
  FontTable fonts(content.fonts);
  Places places(document.get());
  std::size_t words = 0;
  content.pages.resize(static_cast<std::size_t>(pages));
  for (int number = 0; number < pages; ++number) {
    const PagePtr page(poppler_document_get_page(document.get(), number));
    if (!page) continue;  // an empty page stands for one that cannot be read
    auto& out = content.pages[static_cast<std::size_t>(number)];
    double width = 0;
    double height = 0;
    poppler_page_get_size(page.get(), &width, &height);
    out.width = finite(width);
    out.height = finite(height);
    read_words(page.get(), fonts, out, limits.max_words - std::min<std::size_t>(words, limits.max_words));
    read_links(page.get(), height, places, out);
    words += out.words.size();
  }
  if (GTree* tree = poppler_document_create_dests_tree(document.get()); tree != nullptr) {
    DestinationWalk walk{&places, &content.destinations};
    g_tree_foreach(tree, visit_destination, &walk);
    g_tree_destroy(tree);
  }
  if (PopplerIndexIter* top = poppler_index_iter_new(document.get()); top != nullptr) {
    read_outline(document.get(), top, 1, places, content.outline);
    poppler_index_iter_free(top);
  }
  return content;
}

void warm_up() {
  static constexpr char kEmpty[] =
      "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count "
      "1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F 5 0 "
      "R>>>>>>endobj\n"
      "4 0 obj<</Length 36>>stream\nBT /F 9 Tf 1 1 Td (warm up) Tj ET    \nendstream endobj\n"
      "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R/Size "
      "6>>\nstartxref\n0\n%%EOF\n";
  try {
    (void)read_content(std::string_view(kEmpty, sizeof kEmpty - 1), pdf::Limits{});
  } catch (const Refused&) {
    // Then the first real file pays for loading.
  }
}

}  // namespace mustcite::pdf_worker
