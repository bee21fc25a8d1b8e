#include "core/base/error.hpp"

namespace mustcite {

int exit_code(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage:
      return 2;
    case ErrorCode::invalid_input:
    case ErrorCode::not_found:
      return 3;
    case ErrorCode::gate:
      return 4;
    case ErrorCode::unavailable:
      return 5;
    case ErrorCode::interrupted:
      return 130;
    case ErrorCode::corrupt:
    case ErrorCode::exhausted:
    case ErrorCode::internal:
      break;
  }
  return 1;
}

}  // namespace mustcite
