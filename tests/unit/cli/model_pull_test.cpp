#include "apps/cli/model_pull.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/git_blob.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "unit/model/scratch.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";

/// A server on a port of its own, listening when the constructor returns.
class Server {
 public:
  Server() {
    port_ = server.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server.listen_after_bind(); });
    while (!server.is_running()) std::this_thread::yield();
  }
  ~Server() {
    server.stop();
    thread_.join();
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  httplib::Server server;

 private:
  int port_ = 0;
  std::thread thread_;
};

/// Speaks the hub's protocol: the list of a revision, small files as they are, large ones by a redirect to a
/// store that must never see the token.
class Hub : public testing::Test {
 protected:
  Hub() {
    test::write_tiny_model(scratch_.path() / "origin");
    for (const auto& entry : fs::directory_iterator(scratch_.path() / "origin"))
      files_[entry.path().filename().string()] = io::read_file(entry.path());
    files_["1_Pooling/config.json"] = R"({"pooling_mode_mean_tokens":true})";
    files_["pytorch_model.bin"] = "the same weights in another format";
    files_["onnx/model.onnx"] = "for another program";
    files_["README.md"] = "read me";
    hub_.server.Get(R"(/api/models/org/tiny/revision/([^/]+))",
                    [this](const httplib::Request& request, httplib::Response& response) {
                      if (!may(request, response) || fails(response)) return;
                      if (request.matches[1] != "main" && request.matches[1] != "v2") {
                        response.status = 404;
                        return;
                      }
                      response.set_content(list().dump(), "application/json");
                    });
    hub_.server.Get(R"(/org/tiny/resolve/([^/]+)/(.+))",
                    [this](const httplib::Request& request, httplib::Response& response) {
                      if (!may(request, response) || fails(response)) return;
                      const std::string path = request.matches[2];
                      if (request.matches[1] != kCommit || !files_.contains(path)) {
                        response.status = 404;
                      } else if (is_large(path)) {
                        response.set_header("x-linked-etag", '"' + sha256_hex(files_[path]) + '"');
                        response.set_redirect(store_.url() + "/blobs/" + path, 302);
                      } else {
                        response.set_content(files_[path], "application/octet-stream");
                      }
                    });
    store_.server.Get(R"(/blobs/(.+))", [this](const httplib::Request& request, httplib::Response& response) {
      token_leaked_ = token_leaked_ || request.has_header("Authorization");
      if (request.has_header("Range")) ++ranges_;
      const std::string bytes =
          damaged_ ? std::string(files_[request.matches[1]].size(), 'x') : files_[request.matches[1]];
      ++blobs_;
      if (cut_at_ > 0 && !request.has_header("Range")) {  // the connection breaks in the middle
        const std::size_t most = cut_at_;
        response.set_content_provider(
            bytes.size(), "application/octet-stream",
            [bytes, most](std::size_t offset, std::size_t, httplib::DataSink& sink) {
              if (offset >= most) return false;
              return sink.write(bytes.data() + offset, most - offset);
            });
        return;
      }
      response.set_content(bytes, "application/octet-stream");  // ranges are cut out by the server
    });
  }

  static bool is_large(const std::string& path) {
    return path.ends_with(".safetensors") || path.ends_with(".bin");
  }

  bool may(const httplib::Request& request, httplib::Response& response) {
    if (token_.empty() || request.get_header_value("Authorization") == "Bearer " + token_) return true;
    response.status = 401;
    return false;
  }

  bool fails(httplib::Response& response) {
    if (failures_ == 0) return false;
    --failures_;
    response.status = 503;
    return true;
  }

  json list() {
    json siblings = json::array();
    for (const auto& [path, bytes] : files_) {
      json entry{{"rfilename", path}, {"size", bytes.size()}, {"blobId", git_blob_id(bytes)}};
      if (is_large(path)) entry["lfs"] = {{"sha256", sha256_hex(bytes)}, {"size", bytes.size()}};
      siblings.push_back(entry);
    }
    return {{"id", "org/tiny"}, {"sha", kCommit}, {"siblings", siblings}};
  }

  PullReport pull(PullOptions options = {}) {
    options.endpoint = hub_.url();
    options.pause = [](std::chrono::milliseconds) {};
    SilentProgress progress;
    return pull_model("org/tiny", folder(), options, progress);
  }
  [[nodiscard]] fs::path folder() const { return scratch_.path() / "models" / "org--tiny"; }

  test::Scratch scratch_;
  std::map<std::string, std::string> files_;
  std::string token_;
  std::atomic<int> failures_{0};
  std::atomic<int> blobs_{0};
  std::atomic<int> ranges_{0};
  std::atomic<std::size_t> cut_at_{0};
  std::atomic<bool> damaged_{false};
  std::atomic<bool> token_leaked_{false};
  Server store_;
  Server hub_;
};

TEST_F(Hub, GivesTheFilesThatAModelNeeds) {
  const PullReport report = pull();
  EXPECT_EQ(report.commit, kCommit);
  EXPECT_EQ(report.files, 4U);  // config, vocabulary, safetensors, pooling
  EXPECT_EQ(report.fetched, 4U);
  EXPECT_EQ(report.left_out, 3U);
  for (const char* name : {"config.json", "vocab.txt", "model.safetensors", "1_Pooling/config.json"})
    EXPECT_EQ(io::read_file(folder() / name), files_[name]) << name;
  EXPECT_FALSE(fs::exists(folder() / "pytorch_model.bin"));
  const json record = json::parse(io::read_file(folder() / "mustcite-pull.json"));
  EXPECT_EQ(record["commit"], kCommit);
  EXPECT_EQ(record["files"].size(), 4U);
}

TEST_F(Hub, ASecondPullFetchesNothing) {
  pull();
  blobs_ = 0;
  const PullReport report = pull();
  EXPECT_EQ(report.kept, 4U);
  EXPECT_EQ(report.fetched, 0U);
  EXPECT_EQ(blobs_, 0);
}

TEST_F(Hub, ANewVersionFetchesWhatChanged) {
  pull();
  files_["config.json"] += " ";
  blobs_ = 0;
  PullOptions options;
  options.revision = "v2";
  const PullReport report = pull(options);
  EXPECT_EQ(report.fetched, 1U);
  EXPECT_EQ(blobs_, 0);
  EXPECT_EQ(io::read_file(folder() / "config.json"), files_["config.json"]);
}

TEST_F(Hub, GoesOnWhereTheConnectionBroke) {
  cut_at_ = 10000;
  const PullReport report = pull();
  EXPECT_EQ(report.fetched, 4U);
  EXPECT_GE(ranges_, 1);
  EXPECT_EQ(io::read_file(folder() / "model.safetensors"), files_["model.safetensors"]);
}

TEST_F(Hub, AnInterruptedPullGoesOnLater) {
  PullOptions options;
  options.retries = 0;
  cut_at_ = 10000;
  EXPECT_EQ(test::code_of([&] { pull(options); }), ErrorCode::unavailable);
  EXPECT_FALSE(fs::exists(folder()));
  cut_at_ = 0;
  pull(options);
  EXPECT_EQ(ranges_, 1);
  EXPECT_EQ(io::read_file(folder() / "model.safetensors"), files_["model.safetensors"]);
}

TEST_F(Hub, TriesAgainWhenTheServerIsBusy) {
  failures_ = 3;
  EXPECT_EQ(pull().fetched, 4U);
  failures_ = 1000;
  PullOptions options;
  options.retries = 2;
  fs::remove_all(folder());
  EXPECT_EQ(test::code_of([&] { pull(options); }), ErrorCode::unavailable);
  failures_ = 0;
}

TEST_F(Hub, RefusesBytesWithAnotherChecksum) {
  damaged_ = true;
  EXPECT_EQ(test::code_of([&] { pull(); }), ErrorCode::corrupt);
  EXPECT_FALSE(fs::exists(folder()));
  damaged_ = false;
  pull();
}

TEST_F(Hub, SmallFilesAreCheckedByGitsName) {
  const json wrong = list();
  files_["config.json"] += "changed after the list was made";
  hub_.server.Get("/api/models/org/old/revision/main",
                  [wrong](const httplib::Request&, httplib::Response& response) {
                    response.set_content(wrong.dump(), "application/json");
                  });
  hub_.server.Get(R"(/org/old/resolve/[^/]+/(.+))",
                  [this](const httplib::Request& request, httplib::Response& response) {
                    response.set_content(files_[request.matches[1]], "application/octet-stream");
                  });
  PullOptions options;
  options.endpoint = hub_.url();
  SilentProgress progress;
  EXPECT_THAT(test::message_of([&] { pull_model("org/old", folder(), options, progress); }),
              HasSubstr("config.json"));
}

TEST_F(Hub, TheTokenStaysWithTheHub) {
  token_ = "secret";
  EXPECT_THAT(test::message_of([&] { pull(); }), HasSubstr("MUSTCITE_MODEL_TOKEN"));
  PullOptions options;
  options.token = "secret";
  EXPECT_EQ(pull(options).fetched, 4U);
  EXPECT_FALSE(token_leaked_);
  EXPECT_GE(blobs_, 1);
}

TEST_F(Hub, SaysThatThereIsNoSuchModelOrRevision) {
  PullOptions options;
  options.revision = "nowhere";
  EXPECT_EQ(test::code_of([&] { pull(options); }), ErrorCode::not_found);
  SilentProgress progress;
  for (const char* name : {"", "a/b/c", "../x", "a b", "org/", "-x/y"}) {
    EXPECT_EQ(test::code_of([&] { pull_model(name, folder(), options, progress); }), ErrorCode::usage)
        << name;
  }
}

TEST_F(Hub, RefusesNamesThatLeadOutOfTheFolder) {
  files_["../evil.json"] = "{}";
  EXPECT_THAT(test::message_of([&] { pull(); }), HasSubstr("leads elsewhere"));
}

TEST_F(Hub, RefusesAModelWithoutWeightsItCanRead) {
  files_.erase("model.safetensors");
  files_.erase("pytorch_model.bin");
  EXPECT_THAT(test::message_of([&] { pull(); }), HasSubstr("no weights"));
}

TEST(WantedFiles, PreferSafetensorsInEachFolder) {
  std::vector<HubFile> all;
  for (const char* path :
       {"config.json", "model-00001-of-00002.safetensors", "model.safetensors.index.json",
        "pytorch_model.bin", "2_Dense/pytorch_model.bin", "2_Dense/config.json", "tf_model.h5",
        "openvino/model.safetensors", "pytorch_model_head.bin", "pytorch_adapter.bin"})
    all.push_back({path, 0, "", ""});
  std::vector<std::string> paths;
  for (const HubFile& file : wanted_files(all)) paths.push_back(file.path);
  EXPECT_THAT(paths, testing::UnorderedElementsAre("config.json", "model-00001-of-00002.safetensors",
                                                   "model.safetensors.index.json",
                                                   "2_Dense/pytorch_model.bin", "2_Dense/config.json"));
}

}  // namespace
}  // namespace mustcite::cli
