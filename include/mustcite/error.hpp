#pragma once

#include <stdexcept>
#include <string>

namespace mustcite {

/// What kind of trouble an `Error` reports. Each kind has one exit code (see `exit_code`).
enum class ErrorCode {
  usage,          ///< the command line is wrong
  invalid_input,  ///< a file or a query cannot be used as it is
  not_found,      ///< a file, workspace, index or paper does not exist
  corrupt,        ///< one of our own artefacts is damaged or of another version
  unavailable,    ///< a service or a resource cannot be reached now
  exhausted,      ///< disk, memory, time or budget is used up
  gate,           ///< the work is done, and its result does not pass the asked-for gate
  interrupted,    ///< the user asked to stop
  internal        ///< a bug of ours
};

/// The one exception of the library: thrown only when the whole operation cannot go on.
/// The message says what was being done, what is wrong and what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Process exit code of an error: 1 failed, 2 usage, 3 bad input, 4 gate, 5 unavailable, 130 interrupted.
[[nodiscard]] int exit_code(ErrorCode code) noexcept;

}  // namespace mustcite
