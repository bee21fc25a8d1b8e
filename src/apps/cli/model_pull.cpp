#include "apps/cli/model_pull.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/git_blob.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "core/net/download.hpp"
#include "core/net/exchange.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kRecord = "mustcite-pull.json";
constexpr std::size_t kMostFiles = 10000;

const std::set<std::string> kConfigs{"config.json",
                                     "tokenizer.json",
                                     "tokenizer_config.json",
                                     "special_tokens_map.json",
                                     "added_tokens.json",
                                     "vocab.txt",
                                     "modules.json",
                                     "sentence_bert_config.json",
                                     "config_sentence_transformers.json",
                                     "adapter_config.json",
                                     "head_config.json",
                                     "LICENSE"};

bool is_safetensors(const std::string& name) {
  return name == "adapter.safetensors" ||
         (name.starts_with("model") &&
          (name.ends_with(".safetensors") || name.ends_with(".safetensors.index.json")));
}

bool is_torch(const std::string& name) {
  return name == "pytorch_adapter.bin" ||
         (name.starts_with("pytorch_model") && !name.starts_with("pytorch_model_head") &&
          (name.ends_with(".bin") || name.ends_with(".bin.index.json")));
}

/// Folders that sentence-transformers numbers: 1_Pooling, 2_Dense. Others hold the model for other programs.
bool is_module_folder(const std::string& folder) {
  const std::size_t digits = folder.find_first_not_of("0123456789");
  return folder.empty() || (digits != 0 && digits != std::string::npos && folder[digits] == '_' &&
                            folder.find('/') == std::string::npos);
}

bool is_safe_path(const std::string& path) {
  if (path.empty() || path.size() > 500 || path.front() == '/' || path.find('\\') != std::string::npos)
    return false;
  for (const fs::path& part : fs::path(path)) {
    if (part == ".." || part == "." || part.empty()) return false;
  }
  return std::none_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

bool is_name_part(std::string_view part) {
  if (part.empty() || part.size() > 100 || part.front() == '.' || part.front() == '-') return false;
  return std::all_of(part.begin(), part.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

void check_name(const std::string& name) {
  const auto slash = name.find('/');
  const bool good = slash == std::string::npos ? is_name_part(name)
                                               : is_name_part(std::string_view(name).substr(0, slash)) &&
                                                     is_name_part(std::string_view(name).substr(slash + 1));
  if (!good) fail(ErrorCode::usage, "'{}' is no name of a model: write ORG/NAME, or ORG/NAME@REVISION", name);
}

/// Percent-encodes what an address does not take as it is; slashes stay where `keep_slash` says so.
std::string encoded(std::string_view text, char keep) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || c == '-' || c == '_' || c == '.' || c == '~' ||
                       c == keep;
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

/// A bar that names the file.
class FileProgress final : public Progress {
 public:
  FileProgress(Progress& inner, std::string file) : inner_(inner), file_(std::move(file)) {}
  void begin(std::string_view, std::uint64_t total) override { inner_.begin(file_, total); }
  void advance(std::uint64_t units) override { inner_.advance(units); }
  void finish() override { inner_.finish(); }

 private:
  Progress& inner_;
  std::string file_;
};

class Pull {
 public:
  Pull(std::string name, fs::path folder, const PullOptions& options, Progress& progress)
      : name_(std::move(name)), folder_(std::move(folder)), options_(options), progress_(progress) {
    part_ = folder_.parent_path() / fmt::format(".{}.pull", folder_.filename().string());
  }

  PullReport run() {
    check_name(name_);
    std::error_code made;
    fs::create_directories(folder_.parent_path(), made);
    const io::FileLock lock(folder_.parent_path() / fmt::format(".{}.lock", folder_.filename().string()));
    const auto all = list();
    const auto files = wanted_files(all);
    report_.files = files.size();
    report_.left_out = all.size() - files.size();
    if (std::none_of(files.begin(), files.end(), [](const HubFile& file) {
          const std::string leaf = fs::path(file.path).filename().string();
          return is_safetensors(leaf) || is_torch(leaf);
        })) {
      fail(ErrorCode::invalid_input,
           "{} has no weights that can be read here: neither safetensors nor PyTorch's", name_);
    }
    for (const HubFile& file : files) fetch(file);
    publish(files);
    return report_;
  }

 private:
  [[nodiscard]] std::vector<std::string> headers() const {
    if (options_.token.empty()) return {};
    return {"Authorization: Bearer " + options_.token};
  }

  [[noreturn]] void fail_status(const std::string& what, long status) const {
    if (status == 401 || status == 403) {
      fail(ErrorCode::unavailable,
           "cannot fetch {}: {} gives {} only to those who may have it (status {}); {}", what,
           options_.endpoint, name_, status,
           options_.token.empty() ? "set a token with the environment variable MUSTCITE_MODEL_TOKEN"
                                  : "check your token and its rights");
    }
    if (status == 404) {
      fail(ErrorCode::not_found, "{} has no model {} with the revision {}; check both names",
           options_.endpoint, name_, options_.revision);
    }
    fail(ErrorCode::unavailable, "cannot fetch {}: {} answered {}; try again later", what, options_.endpoint,
         status);
  }

  void pause(const net::Exchange& answer, int attempt) const {
    auto wait = std::chrono::milliseconds(500) * (1 << std::min(attempt, 8));
    wait = std::max<std::chrono::milliseconds>(wait, std::min(answer.retry_after, std::chrono::seconds(120)));
    if (options_.pause) return options_.pause(wait);
    for (const auto end = std::chrono::steady_clock::now() + wait; std::chrono::steady_clock::now() < end;) {
      stop_if_interrupted();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  /// What the hub says of the revision.
  Json ask() {
    net::ExchangeRequest request;
    request.url = fmt::format("{}/api/models/{}/revision/{}?blobs=true", options_.endpoint,
                              encoded(name_, '/'), encoded(options_.revision, '-'));
    request.headers = headers();
    request.user_agent = "mustcite/0.1";
    net::Connection connection;
    for (int attempt = 0;; ++attempt) {
      const net::Exchange answer = connection.exchange(request);
      if (answer.end == net::HttpEnd::complete && answer.status == 200) {
        Json json = Json::parse(answer.body, nullptr, false);
        if (!json.is_object())
          fail(ErrorCode::unavailable, "cannot read what {} says of {}: it is no JSON; check model.endpoint",
               options_.endpoint, name_);
        return json;
      }
      const bool passing =
          answer.end == net::HttpEnd::passing || answer.status == 429 || answer.status >= 500;
      if (passing && attempt < options_.retries) {
        pause(answer, attempt);
        continue;
      }
      if (answer.end != net::HttpEnd::complete)
        fail(ErrorCode::unavailable, "cannot reach {}: {}; check the network and model.endpoint",
             options_.endpoint, answer.problem);
      fail_status("the list of files", answer.status);
    }
  }

  std::vector<HubFile> list() {
    const Json json = ask();
    try {
      report_.commit = json.at("sha").get<std::string>();
      if (!is_name_part(report_.commit))
        fail(ErrorCode::unavailable, "{} names a commit that cannot be", options_.endpoint);
      std::vector<HubFile> files;
      for (const Json& entry : json.at("siblings")) {
        HubFile file;
        file.path = entry.at("rfilename").get<std::string>();
        file.size = entry.value("size", std::uint64_t{0});
        file.blob_id = entry.value("blobId", "");
        if (entry.contains("lfs") && entry["lfs"].is_object()) file.sha256 = entry["lfs"].value("sha256", "");
        if (!is_safe_path(file.path))
          fail(ErrorCode::invalid_input, "{} has a file whose name leads elsewhere: '{}'", name_, file.path);
        files.push_back(std::move(file));
        if (files.size() > kMostFiles)
          fail(ErrorCode::invalid_input, "{} has more files than a model needs", name_);
      }
      return files;
    } catch (const Json::exception& error) {
      fail(ErrorCode::unavailable, "cannot read what {} says of {}: {}", options_.endpoint, name_,
           error.what());
    }
  }

  /// True when the file is there whole.
  [[nodiscard]] bool is_whole(const fs::path& path, const HubFile& file) const {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return false;
    if (!file.sha256.empty()) return sha256_file(path) == file.sha256;
    return !file.blob_id.empty() && git_blob_id(io::read_file(path)) == file.blob_id;
  }

  void fetch(const HubFile& file) {
    const fs::path to = part_ / file.path;
    fs::create_directories(to.parent_path());
    if (!is_whole(to, file) && is_whole(folder_ / file.path, file)) {
      std::error_code none;
      fs::create_hard_link(folder_ / file.path, to, none);  // an older version has the same file
      if (none) fs::copy_file(folder_ / file.path, to, fs::copy_options::overwrite_existing);
    }
    if (is_whole(to, file)) {
      ++report_.kept;
    } else {
      download(file, to);
      ++report_.fetched;
    }
    report_.bytes += fs::file_size(to);
  }

  void download(const HubFile& file, const fs::path& to) {
    net::DownloadOptions options;
    options.max_bytes = options_.max_bytes;
    options.timeout = options_.timeout;
    options.retries = options_.retries;
    options.sha256 = file.sha256;
    options.headers = headers();
    options.pause = options_.pause;
    FileProgress progress(progress_, file.path);
    const std::string url = fmt::format("{}/{}/resolve/{}/{}", options_.endpoint, encoded(name_, '/'),
                                        report_.commit, encoded(file.path, '/'));
    net::download(url, to, options, progress);
    if (file.sha256.empty() && !file.blob_id.empty() && !is_whole(to, file)) {
      fs::remove(to);
      fail(ErrorCode::corrupt,
           "{} of {} is not the file that was promised: its checksum does not hold; pull again", file.path,
           name_);
    }
  }

  void publish(const std::vector<HubFile>& files) {
    Json record;
    record["model"] = name_;
    record["revision"] = options_.revision;
    record["commit"] = report_.commit;
    record["endpoint"] = options_.endpoint;
    record["files"] = Json::array();
    for (const HubFile& file : files)
      record["files"].push_back({{"path", file.path}, {"sha256", sha256_file(part_ / file.path)}});
    io::write_file_atomically(part_ / kRecord, record.dump(2) + "\n");
    remove_others(files);
    // The old version steps aside until the new one is in its place.
    const fs::path old = folder_.parent_path() / fmt::format(".{}.old", folder_.filename().string());
    fs::remove_all(old);
    if (fs::exists(folder_)) fs::rename(folder_, old);
    fs::rename(part_, folder_);
    fs::remove_all(old);
  }

  /// What an interrupted pull of another revision left.
  void remove_others(const std::vector<HubFile>& files) const {
    std::set<std::string> known{kRecord};
    for (const HubFile& file : files) known.insert(file.path);
    std::vector<fs::path> others;
    for (const auto& entry : fs::recursive_directory_iterator(part_)) {
      if (entry.is_regular_file() && !known.contains(fs::relative(entry.path(), part_).string()))
        others.push_back(entry.path());
    }
    for (const fs::path& path : others) fs::remove(path);
  }

  std::string name_;
  fs::path folder_;
  fs::path part_;
  const PullOptions& options_;
  Progress& progress_;
  PullReport report_;
};

}  // namespace

std::vector<HubFile> wanted_files(const std::vector<HubFile>& all) {
  const auto folder_of = [](const HubFile& file) { return fs::path(file.path).parent_path().string(); };
  const auto leaf_of = [](const HubFile& file) { return fs::path(file.path).filename().string(); };
  std::set<std::string> with_safetensors;
  for (const HubFile& file : all) {
    if (is_safetensors(leaf_of(file))) with_safetensors.insert(folder_of(file));
  }
  std::vector<HubFile> wanted;
  for (const HubFile& file : all) {
    const std::string leaf = leaf_of(file);
    if (!is_module_folder(folder_of(file))) continue;
    if (kConfigs.contains(leaf) || is_safetensors(leaf) ||
        (is_torch(leaf) && !with_safetensors.contains(folder_of(file))))
      wanted.push_back(file);
  }
  return wanted;
}

PullReport pull_model(const std::string& name, const fs::path& folder, const PullOptions& options,
                      Progress& progress) {
  return Pull(name, folder, options, progress).run();
}

}  // namespace mustcite::cli
