#include "core/io/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"

namespace mustcite::io {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

[[noreturn]] void fail_errno(const char* doing, const fs::path& path, int error) {
  switch (error) {
    case ENOENT:
      fail(ErrorCode::not_found, "{} {}: it does not exist", doing, path.string());
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      fail(ErrorCode::exhausted, "{} {}: the disk is full; free some space and run the command again", doing,
           path.string());
    case EACCES:
    case EPERM:
    case EROFS:
      fail(ErrorCode::unavailable, "{} {}: {}; choose a place you may write to", doing, path.string(),
           std::strerror(error));
    default:
      fail(ErrorCode::unavailable, "{} {}: {}", doing, path.string(), std::strerror(error));
  }
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string staging_prefix(const fs::path& final_path) {
  return fmt::format(".{}.staging-", final_path.filename().string());
}

bool process_alive(long pid) { return pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM); }

void remove_leftovers(const fs::path& final_path) {
  const std::string prefix = staging_prefix(final_path);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(final_path.parent_path().empty() ? "." : final_path.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    if (!process_alive(std::strtol(name.c_str() + prefix.size(), nullptr, 10))) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t max_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_errno("cannot read", path, errno);
  std::string bytes;
  for (;;) {
    const std::size_t old_size = bytes.size();
    bytes.resize(old_size + kBufferBytes);
    const ssize_t got = ::read(descriptor, bytes.data() + old_size, kBufferBytes);
    const int error = errno;
    bytes.resize(old_size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0) {
      ::close(descriptor);
      fail_errno("cannot read", path, error);
    }
    if (got == 0) break;
    if (bytes.size() > max_bytes) {
      ::close(descriptor);
      fail(ErrorCode::invalid_input, "{} is larger than {} bytes, the most that is read here", path.string(), max_bytes);
    }
  }
  ::close(descriptor);
  return bytes;
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  const fs::path beside = path.parent_path() / fmt::format("{}{}", staging_prefix(path), ::getpid());
  try {
    FileWriter writer(beside);
    writer.write(bytes);
    writer.close();
  } catch (...) {
    ::unlink(beside.c_str());
    throw;
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(beside.c_str());
    fail_errno("cannot write", path, error);
  }
  sync_folder(path.parent_path());
}

MappedFile::MappedFile(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_errno("cannot open", path, errno);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    fail(ErrorCode::invalid_input, "{} is not a regular file", path.string());
  }
  size_ = static_cast<std::size_t>(info.st_size);
  if (size_ > 0) {
    void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    const int error = errno;
    ::close(descriptor);
    if (address == MAP_FAILED) fail_errno("cannot map", path, error);
    data_ = static_cast<const std::byte*>(address);
  } else {
    ::close(descriptor);
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

FileWriter::FileWriter(fs::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail_errno("cannot write", path_, errno);
  buffer_.reserve(kBufferBytes);
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileWriter::write(std::string_view bytes) {
  size_ += bytes.size();
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferBytes) flush();
}

void FileWriter::write(std::span<const std::byte> bytes) {
  write(std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void FileWriter::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t wrote = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_errno("cannot write", path_, errno);
    done += static_cast<std::size_t>(wrote);
  }
  buffer_.clear();
}

void FileWriter::close() {
  flush();
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail_errno("cannot write", path_, errno);
  const int result = ::close(std::exchange(descriptor_, -1));
  if (result != 0) fail_errno("cannot write", path_, errno);
}

StagedDirectory::StagedDirectory(fs::path final_path) : final_(std::move(final_path)) {
  if (final_.filename().empty()) final_ = final_.parent_path();
  const fs::path parent = final_.parent_path();
  std::error_code error;
  if (!parent.empty()) fs::create_directories(parent, error);
  remove_leftovers(final_);
  staging_ = parent / fmt::format("{}{}", staging_prefix(final_), ::getpid());
  fs::remove_all(staging_, error);
  if (::mkdir(staging_.c_str(), 0755) != 0) fail_errno("cannot create", staging_, errno);
}

StagedDirectory::~StagedDirectory() {
  if (published_) return;
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void StagedDirectory::publish() {
  sync_folder(staging_);
  // An existing folder is exchanged in one step, so readers always find a complete one.
  if (fs::exists(final_)) {
    if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, final_.c_str(), RENAME_EXCHANGE) != 0) {
      fail_errno("cannot publish", final_, errno);
    }
    std::error_code ignored;
    fs::remove_all(staging_, ignored);
  } else if (::rename(staging_.c_str(), final_.c_str()) != 0) {
    fail_errno("cannot publish", final_, errno);
  }
  published_ = true;
  sync_folder(final_.parent_path());
}

FileLock::FileLock(const fs::path& path) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail_errno("cannot lock", path, errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    char holder[32] = {};
    const ssize_t got = ::read(descriptor_, holder, sizeof(holder) - 1);
    ::close(std::exchange(descriptor_, -1));
    fail(ErrorCode::unavailable, "{} is held by process {}; wait for it to finish, then run the command again",
         path.string(), got > 0 ? holder : "unknown");
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(descriptor_, 0) == 0) {
    [[maybe_unused]] const ssize_t wrote = ::write(descriptor_, pid.data(), pid.size());
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace mustcite::io
