#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "apps/validate/study.hpp"

namespace mustcite::validate {

struct ServeOptions {
  std::string host = "127.0.0.1";  ///< only this machine; another address opens it to the network
  int port = 8740;                 ///< 0: any free one
};

/// Serves the rating pages of a study until `stop` says so (asked several times a second) or an interrupt is
/// requested. `ready` gets the address when it answers. Throws unavailable when the port is taken.
void serve(Study& study, const ServeOptions& options,
           const std::function<void(const std::string& url)>& ready, const std::function<bool()>& stop);

/// The page that raters see.
[[nodiscard]] std::string page();

}  // namespace mustcite::validate
