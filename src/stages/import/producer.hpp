#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "stages/import/item.hpp"

namespace mustcite::importing {

/// Runs a reader on its own thread and hands its items over in blocks, in the order read: parsing and
/// cleaning overlap with writing, and the order of writes stays that of the file. At most a few blocks wait,
/// so memory is bounded.
class Producer {
 public:
  struct Block {
    std::vector<Item> items;
    std::uint64_t consumed = 0;  ///< bytes of the file read so far
  };

  /// `read` puts items until its file ends; `prepare` is called on each of them, on the same thread.
  Producer(std::function<void(Output&)> read, std::function<void(Item&)> prepare);
  /// Stops the reader and waits for it.
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// The next block; false after the last one. Rethrows what stopped the reader.
  bool next(Block& block);

 private:
  class Writer;
  void hand_over(Block block);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Block> waiting_;
  bool finished_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace mustcite::importing
