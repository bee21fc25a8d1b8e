#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace mustcite::neural {

/// Memory on a cache line, without values. It grows and never shrinks.
template <typename T>
class Buffer {
 public:
  /// At least `count` values; what was there is lost when it must grow. Fresh memory holds zeros.
  T* room(std::size_t count) {
    if (count > size_) {
      const std::size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
      // Large memory in large pages: a training step touches hundreds of megabytes in strides.
      const bool large = bytes >= kLargePage;
      data_.reset(static_cast<T*>(
          std::aligned_alloc(large ? kLargePage : kAlignment,
                             large ? (bytes + kLargePage - 1) / kLargePage * kLargePage : bytes)));
      if (!data_) {
        size_ = 0;
        throw std::bad_alloc();
      }
      if (large) madvise(data_.get(), bytes, MADV_HUGEPAGE);
      std::memset(static_cast<void*>(data_.get()), 0, count * sizeof(T));
      size_ = count;
    }
    return data_.get();
  }
  [[nodiscard]] T* data() noexcept { return data_.get(); }
  [[nodiscard]] const T* data() const noexcept { return data_.get(); }

 private:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kLargePage = std::size_t{2} << 20;
  struct Free {
    void operator()(T* data) const noexcept { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace mustcite::neural
