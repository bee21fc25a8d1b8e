// A model folder served by the hub's protocol, for the golden case of `model pull`.
//   hub_server FOLDER ORG/NAME
// Prints the address and returns at once; a child serves until it is asked for /stop, or for two minutes.
#include <fcntl.h>
#include <httplib.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/git_blob.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";
constexpr unsigned kLifetimeSeconds = 120;

std::string list_of(const fs::path& folder, const std::string& name) {
  nlohmann::json siblings = nlohmann::json::array();
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string bytes = mustcite::io::read_file(entry.path());
    const std::string file = entry.path().filename().string();
    nlohmann::json one{{"rfilename", file}, {"size", bytes.size()}, {"blobId", mustcite::git_blob_id(bytes)}};
    if (file.ends_with(".safetensors"))
      one["lfs"] = {{"sha256", mustcite::sha256_hex(bytes)}, {"size", bytes.size()}};
    siblings.push_back(std::move(one));
  }
  return nlohmann::json{{"id", name}, {"sha", kCommit}, {"siblings", siblings}}.dump();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "hub_server FOLDER ORG/NAME\n";
    return 2;
  }
  const fs::path folder = argv[1];
  const std::string name = argv[2];
  httplib::Server server;
  server.Get("/api/models/" + name + "/revision/main",
             [&](const httplib::Request&, httplib::Response& response) {
               response.set_content(list_of(folder, name), "application/json");
             });
  server.Get("/" + name + "/resolve/" + kCommit + "/(.+)",
             [&](const httplib::Request& request, httplib::Response& response) {
               const fs::path file = folder / fs::path(std::string(request.matches[1])).filename();
               if (!fs::exists(file)) {
                 response.status = 404;
                 return;
               }
               response.set_content(mustcite::io::read_file(file), "application/octet-stream");
             });
  server.Get("/stop", [&](const httplib::Request&, httplib::Response&) { server.stop(); });
  const int port = server.bind_to_any_port("127.0.0.1");
  const pid_t child = fork();
  if (child != 0) {
    std::cout << "http://127.0.0.1:" << port << std::endl;
    return child > 0 ? 0 : 1;
  }
  // The child keeps no pipe of its parent's: whoever reads what the parent prints would wait for its end.
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  alarm(kLifetimeSeconds);
  server.listen_after_bind();
  return 0;
}
