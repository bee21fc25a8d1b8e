#include "engine/dense/partial_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"

namespace mustcite::dense {
namespace {

constexpr std::size_t kHeadBytes = 128;

std::uint64_t record_checksum(std::string_view record) noexcept {
  return checksum64(std::as_bytes(std::span(record.data(), record.size() - sizeof(std::uint64_t))));
}

/// The first bytes of a file for this model: padded, so that records begin at a fixed place.
std::string make_head(std::string_view model_digest, std::uint32_t dims) {
  std::string head = fmt::format("mustcite vectors 1 {} {}\n", model_digest, dims);
  head.resize(kHeadBytes, '\n');
  return head;
}

}  // namespace

PartialFile::PartialFile(std::filesystem::path path, std::string_view model_digest, std::uint32_t dims)
    : path_(std::move(path)), dims_(dims), head_(make_head(model_digest, dims)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) {
    fail(ErrorCode::unavailable, "cannot write {}: {}; check the folder's permissions", path_.string(),
         std::strerror(errno));
  }
  load();
}

PartialFile::~PartialFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t PartialFile::record_bytes() const noexcept {
  return sizeof(std::uint64_t) + dims_ * sizeof(std::uint16_t) + sizeof(std::uint64_t);
}

void PartialFile::load() {
  std::string head(kHeadBytes, '\0');
  const bool ours =
      ::pread(descriptor_, head.data(), kHeadBytes, 0) == static_cast<ssize_t>(kHeadBytes) && head == head_;
  if (!ours) {
    if (::ftruncate(descriptor_, 0) != 0)
      fail(ErrorCode::unavailable, "cannot begin {} anew: {}", path_.string(), std::strerror(errno));
    write_all(head_);
    return;
  }
  end_ = kHeadBytes;
  std::string record(record_bytes(), '\0');
  while (::pread(descriptor_, record.data(), record.size(), static_cast<off_t>(end_)) ==
         static_cast<ssize_t>(record.size())) {
    std::uint64_t digest = 0;
    std::uint64_t checksum = 0;
    std::memcpy(&digest, record.data(), sizeof(digest));
    std::memcpy(&checksum, record.data() + record.size() - sizeof(checksum), sizeof(checksum));
    if (checksum != record_checksum(record)) break;
    places_[digest] = end_;
    end_ += record.size();
    ++found_;
  }
  // What follows was cut off in the middle of writing.
  if (::ftruncate(descriptor_, static_cast<off_t>(end_)) != 0)
    fail(ErrorCode::unavailable, "cannot go on with {}: {}", path_.string(), std::strerror(errno));
}

void PartialFile::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(end_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      fail(ErrorCode::exhausted,
           "cannot write {}: {}; free space, and run the command again: it goes on from here", path_.string(),
           std::strerror(errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    end_ += static_cast<std::uint64_t>(written);
  }
}

void PartialFile::add(std::uint64_t text_digest, std::span<const std::uint16_t> vector) {
  std::string record(record_bytes(), '\0');
  std::memcpy(record.data(), &text_digest, sizeof(text_digest));
  std::memcpy(record.data() + sizeof(text_digest), vector.data(), vector.size_bytes());
  const std::uint64_t checksum = record_checksum(record);
  std::memcpy(record.data() + record.size() - sizeof(checksum), &checksum, sizeof(checksum));
  const std::uint64_t place = end_;
  write_all(record);
  places_[text_digest] = place;
}

void PartialFile::sync() {
  if (::fdatasync(descriptor_) != 0)
    fail(ErrorCode::exhausted, "cannot write {}: {}", path_.string(), std::strerror(errno));
}

void PartialFile::read(std::uint64_t text_digest, std::span<std::uint16_t> out) const {
  const auto found = places_.find(text_digest);
  const auto size = static_cast<ssize_t>(out.size_bytes());
  if (found == places_.end() || ::pread(descriptor_, out.data(), out.size_bytes(),
                                        static_cast<off_t>(found->second + sizeof(std::uint64_t))) != size) {
    fail(ErrorCode::corrupt,
         "cannot read back {}: it was changed meanwhile; delete it and run the command again",
         path_.string());
  }
}

void PartialFile::remove() {
  std::error_code none;
  std::filesystem::remove(path_, none);
}

}  // namespace mustcite::dense
