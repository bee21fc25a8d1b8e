#include "core/net/part_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::net {
namespace {

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    fail(ErrorCode::exhausted,
         "cannot write {}: no room left ({}); free some space and run the command again, it goes on "
         "from there",
         path.string(), std::strerror(error));
  }
  fail(ErrorCode::unavailable, "cannot write {}: {}; choose a place you may write to", path.string(),
       std::strerror(error));
}

/// True when `path` still names the open file.
bool is_still(const std::filesystem::path& path, int descriptor) {
  struct stat named {};
  struct stat open {};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(descriptor, &open) == 0 &&
         named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

}  // namespace

PartFile::PartFile(std::filesystem::path destination)
    : destination_(std::move(destination)),
      path_(destination_.string() + ".part"),
      note_(destination_.string() + ".part.from") {
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail_to_write(path_, errno);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      ::close(std::exchange(descriptor_, -1));
      fail(ErrorCode::unavailable, "another download to {} is running; wait for it to finish",
           destination_.string());
    }
    // Between opening and locking its former owner may have published the file: then it is no part file any
    // more.
  } while (!is_still(path_, descriptor_));
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  size_ = end > 0 ? static_cast<std::uint64_t>(end) : 0;
}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  if (size_ == 0) {
    ::unlink(path_.c_str());
    ::unlink(note_.c_str());
  }
  ::close(descriptor_);
}

std::string PartFile::validator(const std::string& source) const {
  std::error_code error;
  if (!std::filesystem::exists(note_, error)) return {};
  const std::string note = io::read_file(note_, std::size_t{1} << 20);
  const auto line_end = note.find('\n');
  if (line_end == std::string::npos || note.substr(0, line_end) != source) return {};
  return note.substr(line_end + 1);
}

void PartFile::note(const std::string& source, const std::string& validator) {
  io::write_file_atomically(note_, source + "\n" + validator);
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_to_write(path_, errno);
    size_ += static_cast<std::uint64_t>(wrote);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void PartFile::clear() {
  // Bytes first: a note without bytes is harmless, bytes without a note would be of unknown origin.
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) < 0) fail_to_write(path_, errno);
  ::unlink(note_.c_str());
  size_ = 0;
}

void PartFile::publish() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_to_write(path_, errno);
  if (::rename(path_.c_str(), destination_.c_str()) != 0) fail_to_write(destination_, errno);
  ::unlink(note_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

}  // namespace mustcite::net
