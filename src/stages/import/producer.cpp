#include "stages/import/producer.hpp"

#include <utility>

namespace mustcite::importing {
namespace {

constexpr std::size_t kItemsPerBlock = 500;
constexpr std::size_t kMostWaiting = 4;

/// Thrown through the reader when nobody wants its items any more.
struct Stopped {};

}  // namespace

class Producer::Writer final : public Output {
 public:
  Writer(Producer& producer, const std::function<void(Item&)>& prepare)
      : producer_(producer), prepare_(prepare) {}

  void put(Item item) override {
    prepare_(item);
    block_.items.push_back(std::move(item));
    if (block_.items.size() >= kItemsPerBlock) flush();
  }
  void consumed(std::uint64_t bytes) override { consumed_ = bytes; }

  void flush() {
    block_.consumed = consumed_;
    producer_.hand_over(std::exchange(block_, {}));
  }

 private:
  Producer& producer_;
  const std::function<void(Item&)>& prepare_;
  Block block_;
  std::uint64_t consumed_ = 0;
};

Producer::Producer(std::function<void(Output&)> read, std::function<void(Item&)> prepare) {
  thread_ = std::thread([this, read = std::move(read), prepare = std::move(prepare)] {
    try {
      Writer writer(*this, prepare);
      read(writer);
      writer.flush();
    } catch (const Stopped&) {
      // The consumer went away; it knows why.
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
  });
}

Producer::~Producer() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Producer::hand_over(Block block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || waiting_.size() < kMostWaiting; });
  if (stopped_) throw Stopped{};
  waiting_.push_back(std::move(block));
  changed_.notify_all();
}

bool Producer::next(Block& block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_ || !waiting_.empty(); });
  if (!waiting_.empty()) {
    block = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return true;
  }
  if (failure_) std::rethrow_exception(failure_);
  return false;
}

}  // namespace mustcite::importing
