#include "core/io/lines.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/error.hpp"

namespace mustcite::io {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
// A frame that asks for a larger window than this is refused: a bomb, not data.
constexpr int kMaxWindowLog = 27;

/// The raw bytes of a file or of standard input, with a look at the first ones.
class Source {
 public:
  explicit Source(const std::filesystem::path& path) : name_(path.string()) {
    if (path == "-") {
      descriptor_ = STDIN_FILENO;
      name_ = "standard input";
    } else {
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (descriptor_ < 0) {
        fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable, "cannot read {}: {}", name_,
             std::strerror(errno));
      }
    }
    buffer_.resize(kChunkBytes);
    while (end_ < 4 && refill_tail()) {
    }
  }
  ~Source() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] std::string_view head() const { return {buffer_.data(), end_}; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t consumed() const { return consumed_; }

  /// The next bytes, at most one chunk; empty at the end.
  std::string_view next() {
    if (begin_ == end_) {
      begin_ = end_ = 0;
      refill_tail();
    }
    const std::string_view chunk{buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    return chunk;
  }

 private:
  bool refill_tail() {
    for (;;) {
      const ssize_t got = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(ErrorCode::invalid_input, "cannot read {}: {}", name_, std::strerror(errno));
      end_ += static_cast<std::size_t>(got);
      consumed_ += static_cast<std::uint64_t>(got);
      return got > 0;
    }
  }

  std::string name_;
  int descriptor_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t consumed_ = 0;
};

class PlainReader final : public ByteReader {
 public:
  explicit PlainReader(std::unique_ptr<Source> source) : source_(std::move(source)) {}
  std::size_t read(char* into, std::size_t size) override {
    if (rest_.empty()) rest_ = source_->next();
    const std::size_t taken = std::min(size, rest_.size());
    std::memcpy(into, rest_.data(), taken);
    rest_.remove_prefix(taken);
    return taken;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return source_->consumed(); }

 private:
  std::unique_ptr<Source> source_;
  std::string_view rest_;
};

class ZstdReader final : public ByteReader {
 public:
  explicit ZstdReader(std::unique_ptr<Source> source) : source_(std::move(source)) {
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  ~ZstdReader() override { ZSTD_freeDCtx(context_); }
  std::size_t read(char* into, std::size_t size) override {
    ZSTD_outBuffer output{into, size, 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size) {
        const auto chunk = source_->next();
        if (chunk.empty()) {
          if (frame_open_) {
            fail(ErrorCode::invalid_input, "{} ends in the middle of its zstd stream: fetch it again", source_->name());
          }
          return 0;
        }
        input_ = {chunk.data(), chunk.size(), 0};
      }
      const std::size_t left = ZSTD_decompressStream(context_, &output, &input_);
      if (ZSTD_isError(left) != 0) {
        fail(ErrorCode::invalid_input, "{} is not a sound zstd stream ({}): fetch it again", source_->name(),
             ZSTD_getErrorName(left));
      }
      frame_open_ = left != 0;
    }
    return output.pos;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return source_->consumed(); }

 private:
  std::unique_ptr<Source> source_;
  ZSTD_DCtx* context_ = ZSTD_createDCtx();
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool frame_open_ = false;
};

class GzipReader final : public ByteReader {
 public:
  explicit GzipReader(std::unique_ptr<Source> source) : source_(std::move(source)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail(ErrorCode::internal, "cannot start zlib");
  }
  ~GzipReader() override { inflateEnd(&stream_); }
  std::size_t read(char* into, std::size_t size) override {
    size = std::min<std::size_t>(size, std::size_t{1} << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        const auto chunk = source_->next();
        if (chunk.empty()) {
          if (member_open_) {
            fail(ErrorCode::invalid_input, "{} ends in the middle of its gzip stream: fetch it again", source_->name());
          }
          return 0;
        }
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(chunk.data()));
        stream_.avail_in = static_cast<uInt>(chunk.size());
      }
      member_open_ = true;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        member_open_ = false;
        inflateReset(&stream_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail(ErrorCode::invalid_input, "{} is not a sound gzip stream: fetch it again", source_->name());
      }
    }
    return size - stream_.avail_out;
  }
  [[nodiscard]] std::uint64_t consumed() const noexcept override { return source_->consumed(); }

 private:
  std::unique_ptr<Source> source_;
  z_stream stream_{};
  bool member_open_ = false;
};

}  // namespace

std::unique_ptr<ByteReader> open_reader(const std::filesystem::path& path) {
  auto source = std::make_unique<Source>(path);
  const auto head = source->head();
  if (head.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdReader>(std::move(source));
  if (head.starts_with("\x1f\x8b")) return std::make_unique<GzipReader>(std::move(source));
  return std::make_unique<PlainReader>(std::move(source));
}

LineReader::LineReader(const std::filesystem::path& path, std::size_t max_bytes)
    : reader_(open_reader(path)), max_bytes_(max_bytes) {}

bool LineReader::fill() {
  if (at_end_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + kChunkBytes);
  const std::size_t got = reader_->read(buffer_.data() + old_size, kChunkBytes);
  buffer_.resize(old_size + got);
  at_end_ = got == 0;
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  too_long_ = false;
  std::size_t searched = 0;
  std::size_t end = std::string::npos;
  for (;;) {
    end = buffer_.find('\n', begin_ + searched);
    if (end != std::string::npos) break;
    searched = buffer_.size() - begin_;
    // One byte more than the limit may be the CR of a line end.
    if (searched > max_bytes_ + 1) {
      // Keep the head of the line, drop the rest as it comes: memory stays bounded.
      too_long_ = true;
      buffer_.resize(begin_ + max_bytes_ + 1);
      searched = max_bytes_ + 1;
    }
    if (!fill()) break;
  }
  if (end == std::string::npos) {
    if (begin_ == buffer_.size()) return false;
    end = buffer_.size();
  }
  line = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = std::min(end + 1, buffer_.size());
  if (!too_long_ && line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > max_bytes_) {
    too_long_ = true;
    line = line.substr(0, max_bytes_);
  }
  ++line_number_;
  return true;
}

}  // namespace mustcite::io
