#pragma once

#include <string>
#include <vector>

#include "core/net/fetcher.hpp"

namespace mustcite::collect {

/// Why a page that an edition cannot do without could not be had. Ends the edition, not the run.
class PageUnavailable : public std::exception {
 public:
  PageUnavailable(net::PageEnd end, const std::string& url, std::string reason)
      : end_(end), what_(url + ": " + reason), reason_(std::move(reason)) {}
  /// The address and the reason.
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] net::PageEnd end() const noexcept { return end_; }

 private:
  net::PageEnd end_;
  std::string what_;
  std::string reason_;
};

/// A page that does not look as its reader knows it: the site has changed its layout, or this is another
/// page.
class LayoutChanged : public std::exception {
 public:
  explicit LayoutChanged(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// The pages of one site, as text. Thread-safe.
class Pages {
 public:
  explicit Pages(net::Fetcher& fetcher) : fetcher_(fetcher) {}

  /// The page, decoded to UTF-8 when it is HTML. Throws PageUnavailable.
  [[nodiscard]] std::string get(const net::PageRequest& request);
  /// The same for a list, which may have changed since it was kept.
  [[nodiscard]] std::string list(const std::string& url, net::Expect expect = net::Expect::html);
  /// The same for a page that stays as it is.
  [[nodiscard]] std::string fixed(const std::string& url, net::Expect expect = net::Expect::html);
  void forget(const std::string& url);

  [[nodiscard]] net::Fetcher& fetcher() noexcept { return fetcher_; }

 private:
  net::Fetcher& fetcher_;
};

}  // namespace mustcite::collect
