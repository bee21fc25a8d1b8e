#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a PDF file holds, as the worker reports it: words and places, no meaning. Coordinates are points from
/// the top left corner of the page as it is shown; pages count from 1.
namespace mustcite::pdf {

/// A run of characters in one font and size, without white space.
struct Word {
  std::string text;  ///< UTF-8 as the file gives it: not normalised
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float size = 0;          ///< font size in points
  std::uint16_t font = 0;  ///< index into Content::fonts
  bool glued = false;      ///< no space before it: the word before in the file's order goes on here
  bool rotated = false;    ///< does not run from left to right
};

struct Link {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::string destination;  ///< name of a destination; empty for explicit places and addresses
  std::string uri;
  std::uint32_t page = 0;  ///< of an explicit place; 0: none
  float x = 0, y = 0;
};

struct Destination {
  std::string name;
  std::uint32_t page = 0;
  float x = 0, y = 0;
  bool has_x = false;
};

struct OutlineItem {
  std::uint32_t level = 1;  ///< 1: outermost
  std::string title;
  std::string destination;
  std::uint32_t page = 0;  ///< 0: not known
  float y = 0;
};

struct Page {
  float width = 0, height = 0;
  std::vector<Word> words;  ///< in the file's order as Poppler sorts it
  std::vector<Link> links;
};

struct Content {
  std::string tool;  ///< "poppler 22.12.0"
  std::string title, author;
  std::vector<std::string> fonts;
  std::vector<Page> pages;
  std::vector<Destination> destinations;
  std::vector<OutlineItem> outline;
};

/// What the worker keeps to. A file that needs more is refused, not cut.
struct Limits {
  std::uint32_t max_pages = 500;
  std::uint32_t max_words = 2'000'000;
  std::uint32_t cpu_seconds = 60;
};

enum class Refusal : std::uint8_t {
  not_pdf = 1,
  damaged,
  encrypted,
  no_pages,
  too_many_pages,
  too_much_text,
  failed
};

}  // namespace mustcite::pdf
