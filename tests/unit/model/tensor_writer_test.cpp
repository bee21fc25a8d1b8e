#include "engine/model/tensor_writer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/io/file.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::model {
namespace {

std::span<const std::byte> bytes_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

TEST(TensorWriter, WhatIsWrittenIsRead) {
  const testing::TempFolder folder;
  const std::vector<float> matrix{1, 2, 3, 4, 5, 6};
  const std::vector<float> scalar{-0.5F};
  const Tensor tensors[] = {{"b.matrix", DType::f32, {2, 3}, bytes_of(matrix)},
                            {"a.scalar", DType::f32, {}, bytes_of(scalar)}};
  write_safetensors(folder / "model.safetensors", tensors, {{"format", "pt"}});
  const auto file = TensorFile::open(folder / "model.safetensors");
  ASSERT_EQ(file.tensors().size(), 2U);
  const auto* read = file.find("b.matrix");
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(to_float32(*read), matrix);
  EXPECT_EQ(to_float32(*file.find("a.scalar")), scalar);
}

TEST(TensorWriter, TheHeaderIsTheFormatsOwn) {
  // Eight bytes of length, JSON filled up with spaces to a multiple of eight, then the numbers.
  const testing::TempFolder folder;
  const std::vector<float> values{1};
  const Tensor tensors[] = {{"x", DType::f32, {1}, bytes_of(values)}};
  write_safetensors(folder / "x.safetensors", tensors);
  const std::string header = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::string file = io::read_file(folder / "x.safetensors");
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  ASSERT_EQ(file.size(), 8 + padded + 4);
  EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(file[0])), padded);
  EXPECT_EQ(file.substr(8, header.size()), header);
  EXPECT_EQ(file.substr(8 + padded), std::string("\0\0\x80\x3f", 4));
}

TEST(TensorWriter, AFolderThatIsNotThereIsRefused) {
  const testing::TempFolder folder;
  EXPECT_TRUE(testing::code_of([&] { write_safetensors(folder / "none/x.safetensors", {}); }).has_value());
}

}  // namespace
}  // namespace mustcite::model
