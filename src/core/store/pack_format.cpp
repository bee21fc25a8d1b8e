#include "core/store/pack_format.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::store {
namespace {

using nlohmann::ordered_json;

// The line end shows transfers that changed line ends.
constexpr std::string_view kMagic{"MCPACK\r\n", 8};
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kHeadTextAt = 32;  // magic, version, size of the text, checksum of the text
constexpr std::size_t kChunkBytes = std::size_t{1} << 18;
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 28;
constexpr int kMaxWindowLog = 27;

void append_u64(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(value >> shift);
}

std::uint64_t read_u64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (int i = 7; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return value;
}

std::uint64_t checksum(std::string_view text) {
  return checksum64(std::as_bytes(std::span(text)));
}

}  // namespace

std::string encode_pack_head(const PackInfo& info) {
  const ordered_json json{{"name", info.name},
                          {"papers", info.papers},
                          {"citations", info.citations},
                          {"contexts", info.contexts},
                          {"labels", info.labels},
                          {"text_bytes", info.text_bytes},
                          {"payload_bytes", info.payload_bytes},
                          {"sha256", info.sha256}};
  const std::string text = json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  if (kHeadTextAt + text.size() > kPackHeadBytes) {
    fail(ErrorCode::invalid_input, "the name of the pack is too long: {} bytes", info.name.size());
  }
  std::string head(kMagic);
  append_u64(head, kVersion);
  append_u64(head, text.size());
  append_u64(head, checksum(text));
  head += text;
  head.resize(kPackHeadBytes, '\0');
  return head;
}

PackInfo decode_pack_head(std::string_view head, const std::string& file) {
  if (!head.starts_with(kMagic))
    fail(ErrorCode::corrupt, "{} is no mustcite pack; check the name or address", file);
  const auto damaged = [&]() {
    fail(ErrorCode::corrupt, "{} is a damaged or cut pack: its head cannot be read; fetch it again", file);
  };
  if (head.size() < kPackHeadBytes) damaged();
  const std::uint64_t version = read_u64(head.substr(8));
  if (version != kVersion) {
    fail(ErrorCode::corrupt,
         "{} is a pack of format version {}, this program reads version {}; use the mustcite that "
         "belongs to it",
         file, version, kVersion);
  }
  const std::uint64_t size = read_u64(head.substr(16));
  if (size > kPackHeadBytes - kHeadTextAt) damaged();
  const std::string_view text = head.substr(kHeadTextAt, size);
  if (checksum(text) != read_u64(head.substr(24))) damaged();
  PackInfo info;
  try {
    const auto json = ordered_json::parse(text);
    json.at("name").get_to(info.name);
    json.at("papers").get_to(info.papers);
    json.at("citations").get_to(info.citations);
    json.at("contexts").get_to(info.contexts);
    json.at("labels").get_to(info.labels);
    json.at("text_bytes").get_to(info.text_bytes);
    json.at("payload_bytes").get_to(info.payload_bytes);
    json.at("sha256").get_to(info.sha256);
  } catch (const ordered_json::exception&) {
    damaged();
  }
  return info;
}

std::string label_to_json(const Label& label) {
  ordered_json json{{"citing_id", label.citing.str()},
                          {"cited_id", label.cited.str()},
                          {"tier", tier_name(label.tier)},
                          {"value", label.value},
                          {"judge", label.judge},
                          {"definition", label.definition},
                          {"date", format_date(label.date)}};
  if (!label.model.empty()) json["model"] = label.model;
  if (label.probability) json["probability"] = *label.probability;
  if (!label.reply.empty()) json["reply"] = label.reply;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Label label_from_json(std::string_view line) {
  try {
    const auto json = ordered_json::parse(line);
    Label label;
    label.citing = PaperId(json.at("citing_id").get<std::string>());
    label.cited = PaperId(json.at("cited_id").get<std::string>());
    label.tier = parse_tier(json.at("tier").get<std::string>());
    label.value = json.at("value").get<int>();
    label.judge = json.at("judge").get<std::string>();
    label.definition = json.at("definition").get<std::string>();
    label.date = parse_date(json.at("date").get<std::string>()).value_or(Date{});
    label.model = json.value("model", "");
    if (json.contains("probability")) label.probability = json.at("probability").get<double>();
    label.reply = json.value("reply", "");
    return label;
  } catch (const ordered_json::exception& error) {
    fail(ErrorCode::invalid_input, "not a label: {}", error.what());
  }
}

struct PackWriter::Stream {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::string out = std::string(ZSTD_CStreamOutSize(), '\0');
  ~Stream() { ZSTD_freeCCtx(context); }
};

PackWriter::PackWriter(const std::filesystem::path& file, int level)
    : path_(file), file_(file), stream_(std::make_unique<Stream>()) {
  ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(stream_->context, ZSTD_c_checksumFlag, 1);
  file_.write(std::string(kPackHeadBytes, '\0'));
}

PackWriter::~PackWriter() = default;

void PackWriter::line(std::string_view text) {
  compress(text, false);
  compress("\n", false);
}

void PackWriter::compress(std::string_view text, bool is_end) {
  text_bytes_ += text.size();
  ZSTD_inBuffer input{text.data(), text.size(), 0};
  for (;;) {
    ZSTD_outBuffer output{stream_->out.data(), stream_->out.size(), 0};
    const std::size_t left =
        ZSTD_compressStream2(stream_->context, &output, &input, is_end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0)
      fail(ErrorCode::internal, "cannot compress the pack: {}", ZSTD_getErrorName(left));
    const std::string_view bytes = std::string_view(stream_->out).substr(0, output.pos);
    file_.write(bytes);
    sha_.update(bytes);
    payload_bytes_ += bytes.size();
    if (is_end ? left == 0 : input.pos == input.size) return;
  }
}

void PackWriter::finish(PackInfo& info) {
  compress({}, true);
  file_.close();
  info.text_bytes = text_bytes_;
  info.payload_bytes = payload_bytes_;
  info.sha256 = sha_.hex();
  const std::string head = encode_pack_head(info);
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written =
      descriptor >= 0 &&
      ::pwrite(descriptor, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()) &&
      (::fsync(descriptor) == 0 || errno == EINVAL);
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!written) fail(ErrorCode::unavailable, "cannot write {}: {}", path_.string(), std::strerror(error));
}

struct PackReader::Stream {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  std::string in = std::string(kChunkBytes, '\0');
  ZSTD_inBuffer input{nullptr, 0, 0};
  std::uint64_t left = 0;  ///< payload bytes not yet taken from the file
  bool ended = false;      ///< the frame is complete
  ~Stream() { ZSTD_freeDCtx(context); }
};

PackReader::PackReader(const std::filesystem::path& file)
    : name_(file.string()), file_(file, std::ios::binary), stream_(std::make_unique<Stream>()) {
  std::error_code error;
  if (!file_ || !std::filesystem::is_regular_file(file, error)) {
    fail(ErrorCode::not_found, "cannot read the pack {}; check that the file exists", name_);
  }
  std::string head(kPackHeadBytes, '\0');
  file_.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file_.gcount()));
  info_ = decode_pack_head(head, name_);
  const auto size = std::filesystem::file_size(file, error);
  if (error || size - kPackHeadBytes != info_.payload_bytes) {
    fail_damaged(
        fmt::format("it has {} bytes and should have {}", size, kPackHeadBytes + info_.payload_bytes));
  }
  stream_->left = info_.payload_bytes;
  ZSTD_DCtx_setParameter(stream_->context, ZSTD_d_windowLogMax, kMaxWindowLog);
}

PackReader::~PackReader() = default;

void PackReader::fail_damaged(std::string_view why) const {
  fail(ErrorCode::corrupt, "{} is a damaged or cut pack: {}; fetch it again", name_, why);
}

void PackReader::verify(Progress& progress) {
  progress.begin("verify", info_.payload_bytes);
  Sha256 sha;
  std::string chunk(std::size_t{1} << 20, '\0');
  while (file_.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file_.gcount() > 0) {
    stop_if_interrupted();
    const auto got = static_cast<std::size_t>(file_.gcount());
    sha.update(std::string_view(chunk).substr(0, got));
    progress.advance(got);
  }
  progress.finish();
  if (sha.hex() != info_.sha256) fail_damaged("its content does not have the digest that its head names");
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(kPackHeadBytes));
}

bool PackReader::fill() {
  auto& stream = *stream_;
  if (stream.ended) return false;
  text_.erase(0, begin_);
  begin_ = 0;
  if (stream.input.pos == stream.input.size) {
    const auto want = static_cast<std::streamsize>(std::min<std::uint64_t>(stream.in.size(), stream.left));
    file_.read(stream.in.data(), want);
    if (file_.gcount() != want || want == 0) fail_damaged("it ends early");
    stream.left -= static_cast<std::uint64_t>(want);
    stream.input = {stream.in.data(), static_cast<std::size_t>(want), 0};
  }
  const std::size_t old_size = text_.size();
  text_.resize(old_size + kChunkBytes);
  ZSTD_outBuffer output{text_.data() + old_size, kChunkBytes, 0};
  const std::size_t left = ZSTD_decompressStream(stream.context, &output, &stream.input);
  if (ZSTD_isError(left) != 0) fail_damaged(ZSTD_getErrorName(left));
  stream.ended = left == 0;
  text_.resize(old_size + output.pos);
  text_bytes_ += output.pos;
  if (text_bytes_ > info_.text_bytes) fail_damaged("it holds more than its head says");
  return true;
}

std::string_view PackReader::line() {
  std::size_t searched = 0;
  for (;;) {
    const auto end = text_.find('\n', begin_ + searched);
    if (end != std::string::npos) {
      const auto found = std::string_view(text_).substr(begin_, end - begin_);
      begin_ = end + 1;
      return found;
    }
    searched = text_.size() - begin_;
    if (searched > kMaxLineBytes) fail_damaged("one of its records is absurdly large");
    if (!fill()) fail_damaged("it holds fewer records than its head says");
  }
}

void PackReader::expect_end() {
  while (begin_ == text_.size() && fill()) {
  }
  if (begin_ != text_.size() || stream_->input.pos != stream_->input.size || stream_->left != 0 ||
      text_bytes_ != info_.text_bytes) {
    fail_damaged("it holds more than its head says");
  }
}

}  // namespace mustcite::store
