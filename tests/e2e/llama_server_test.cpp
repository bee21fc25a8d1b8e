// The program against a real language model server: llama.cpp reads a tiny model that the test writes,
// tokenises, evaluates and samples, and `annotate --judge openai` asks it about the demo corpus.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "testing/temp_folder.hpp"
#include "testing/tiny_llama.hpp"

namespace mustcite {
namespace {

namespace fs = std::filesystem;
using mustcite::testing::TempFolder;
using mustcite::testing::TinyLlama;

/// $MUSTCITE_LLAMA_SERVER, else `llama-server` on the path; empty: none.
std::string server_program() {
  if (const char* chosen = std::getenv("MUSTCITE_LLAMA_SERVER"); chosen != nullptr && *chosen != '\0')
    return chosen;
  std::istringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder) / "llama-server";
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  int port = 0;
  if (::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    port = ntohs(address.sin_port);
  ::close(probe);
  return port;
}

/// llama.cpp's server; ready when the constructor returns, unless `log` says why not.
class LlamaServer {
 public:
  LlamaServer(const std::string& program, const fs::path& model) : port_(free_port()) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::dup2(pipe[1], STDERR_FILENO);
      ::close(pipe[0]);
      ::close(pipe[1]);
      // It writes a log into the folder it is started in.
      if (::chdir(model.parent_path().c_str()) != 0) ::_exit(126);
      const std::string port = std::to_string(port_);
      ::execl(program.c_str(), program.c_str(), "--model", model.c_str(), "--host", "127.0.0.1", "--port",
              port.c_str(), "--ctx-size", "16384", "--parallel", "2", "--threads", "2",
              static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(pipe[1]);
    output_ = pipe[0];
    std::array<char, 4096> block{};
    while (log.find("all slots are idle") == std::string::npos) {
      const auto got = ::read(output_, block.data(), block.size());
      if (got <= 0) return;
      log.append(block.data(), static_cast<std::size_t>(got));
    }
    ready = true;
    // From here on somebody has to read what it writes, or it would wait for room in the pipe.
    reader_ = ::fork();
    if (reader_ == 0) {
      while (::read(output_, block.data(), block.size()) > 0) {
      }
      ::_exit(0);
    }
  }
  ~LlamaServer() {
    for (const pid_t child : {process_, reader_}) {
      if (child <= 0) continue;
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    if (output_ >= 0) ::close(output_);
  }
  LlamaServer(const LlamaServer&) = delete;
  LlamaServer& operator=(const LlamaServer&) = delete;

  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/v1", port_); }

  bool ready = false;
  std::string log;

 private:
  int port_ = 0;
  int output_ = -1;
  pid_t process_ = 0;
  pid_t reader_ = 0;
};

class LlamaServerTest : public ::testing::Test {
 protected:
  std::string run(const std::string& arguments) {
    const std::string command = fmt::format("'{}' --quiet --workspace '{}' {} 2>&1", MUSTCITE_PROGRAM,
                                            (folder_ / "ws").string(), arguments);
    std::string said;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> block{};
    for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
      said.append(block.data(), got);
    EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << said;
    return said;
  }

  TempFolder folder_;
};

TEST_F(LlamaServerTest, ARealModelJudgesTheDemoCorpus) {
  const std::string program = server_program();
  if (program.empty())
    GTEST_SKIP()
        << "skipped: no llama-server; scripts/llama-server.sh builds one, MUSTCITE_LLAMA_SERVER names it";
  TinyLlama::write(folder_ / "tiny.gguf", 7);
  const LlamaServer server(program, folder_ / "tiny.gguf");
  ASSERT_TRUE(server.ready) << server.log;
  const std::string demo = MUSTCITE_SOURCE_DIR "/data/demo/";
  run("init");
  run("import papers " + demo + "papers.jsonl");
  run("import citations " + demo + "citations.jsonl");
  const std::string ask = fmt::format(
      "annotate --judge openai --endpoint {} --llm-model tiny --sample 20 --concurrency 2 --price-in 1 "
      "--price-out 1 ",
      server.url());
  const std::string prompts = MUSTCITE_SOURCE_DIR "/data/prompts/";
  const std::string type1 = "--prompt " + prompts + "type1-v1.txt";
  // It says 0 or 1 and ends: every Type I question is judged, by a reply that needs no repair.
  const std::string first = run(ask + type1);
  EXPECT_NE(first.find("20 questions = 20 judged (0 from the cache) + 0 rejected + 0 left"),
            std::string::npos)
      << first;
  EXPECT_NE(first.find("20 calls, of them 0 retries and 0 repairs; 0 replies in a form"), std::string::npos)
      << first;
  EXPECT_EQ(first.find(" 0 tokens in"), std::string::npos) << first;
  const std::string sets = run("annotate sets");
  EXPECT_NE(sets.find("openai  tiny"), std::string::npos) << sets;
  // A rerun costs nothing; a second run of the same questions asks again and, at temperature 0, hears the
  // same.
  EXPECT_NE(run(ask + type1).find("20 judged (20 from the cache)"), std::string::npos);
  EXPECT_NE(run(ask + type1 + " --repeat 2").find("20 judged (0 from the cache)"), std::string::npos);
  const auto at = sets.find("type1-v1@");
  ASSERT_NE(at, std::string::npos) << sets;
  const std::string definition = "openai:tiny:" + sets.substr(at, 17);
  const std::string compared = run(fmt::format("annotate compare {0} {0}~2", definition));
  EXPECT_NE(compared.find("type1: 20 citations labelled by both, 0 only by"), std::string::npos) << compared;
  EXPECT_NE(compared.find("agreement 1.000"), std::string::npos) << compared;
  // On the scale of Type II a 0 is unreadable: it is asked for once more and goes to the ledger when it
  // stays.
  const std::string second = run(ask + "--prompt " + prompts + "type2-v1.txt");
  EXPECT_NE(second.find("20 questions = "), std::string::npos) << second;
  EXPECT_NE(second.find(" + 0 left"), std::string::npos) << second;
  std::printf("%s%s%s", first.c_str(), second.c_str(), compared.c_str());
}

}  // namespace
}  // namespace mustcite
