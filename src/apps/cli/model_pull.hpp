#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"

/// Fetching model folders from a hub that speaks Hugging Face's protocol.
namespace mustcite::cli {

struct PullOptions {
  std::string endpoint = "https://huggingface.co";
  std::string token;              ///< sent to the endpoint alone, never to where it redirects; may be empty
  std::string revision = "main";  ///< a branch, a tag or a commit
  int retries = 5;                ///< of each request
  std::chrono::seconds timeout{60};  ///< without a byte
  std::uint64_t max_bytes = std::uint64_t{16} << 30;
  /// How a pause between attempts is spent; the default sleeps.
  std::function<void(std::chrono::milliseconds)> pause;
};

/// fetched + kept == files, always.
struct PullReport {
  std::string commit;
  std::size_t files = 0;
  std::size_t fetched = 0;
  std::size_t kept = 0;      ///< were there already, whole
  std::size_t left_out = 0;  ///< files of the hub that no command needs: other frameworks, documents
  std::uint64_t bytes = 0;   ///< of all files
};

/// One file of a model on the hub.
struct HubFile {
  std::string path;
  std::uint64_t size = 0;
  std::string sha256;   ///< of large files
  std::string blob_id;  ///< git's name of small ones
};

/// Those of a model's files that are wanted here: configs, vocabularies and one kind of weights per folder
/// (safetensors before PyTorch's).
[[nodiscard]] std::vector<HubFile> wanted_files(const std::vector<HubFile>& all);

/// Fetches the model `name` (ORG/NAME) to `folder`, which appears complete or not at all: until then its
/// files lie in `folder` with `.pull` behind it, and the next call goes on with them. Every file is checked:
/// large ones by their SHA-256, small ones by git's name. An older version in `folder` is replaced. Throws
/// not_found (no such model or revision), unavailable (network; a token is needed), corrupt (a checksum does
/// not hold), invalid_input.
PullReport pull_model(const std::string& name, const std::filesystem::path& folder,
                      const PullOptions& options, Progress& progress);

}  // namespace mustcite::cli
