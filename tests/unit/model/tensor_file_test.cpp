#include "engine/model/tensor_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/parsed_tensors.hpp"
#include "unit/model/scratch.hpp"
#include "unit/model/tiny_model.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kGolden = fs::path(MUSTCITE_SOURCE_DIR) / "tests/unit/model/golden";

std::string safetensors_file(const std::string& header, const std::string& data, std::uint64_t claimed = 0) {
  const std::uint64_t length = claimed != 0 ? claimed : header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + header + data;
}

std::string refusal_of(const std::string& bytes) {
  return test::message_of(
      [&] { static_cast<void>(parse_safetensors(std::as_bytes(std::span(bytes)), "it")); });
}

std::string torch_refusal_of(const std::string& bytes) {
  return test::message_of([&] { static_cast<void>(parse_torch(std::as_bytes(std::span(bytes)), "it")); });
}

TEST(TensorFile, ReadsSafetensors) {
  const test::Scratch scratch;
  io::write_file_atomically(scratch.path() / "model.safetensors",
                            test::safetensors({{"a", {2, 3}}, {"b", {}}, {"c", {0, 4}}}, 0.75F));
  const TensorFile file = TensorFile::open(scratch.path());
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(to_float32(*file.find("a")), std::vector<float>(6, 0.75F));
  EXPECT_EQ(file.find("b")->elements(), 1U);
  EXPECT_EQ(file.find("c")->elements(), 0U);
  EXPECT_EQ(file.find("d"), nullptr);
}

// scripts/tensor-golden.py wrote the files with torch.save; the values are those of that script.
TEST(TensorFile, ReadsBothFormatsOfTorch) {
  for (const char* name : {"state-zip.bin", "state-legacy.bin"}) {
    const TensorFile file = TensorFile::open(kGolden / name);
    ASSERT_EQ(file.tensors().size(), 8U) << name;
    EXPECT_EQ(file.find("a.weight")->shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(to_float32(*file.find("a.weight")), (std::vector<float>{0, 0.25F, 0.5F, 0.75F, 1, 1.25F}));
    EXPECT_EQ(to_float32(*file.find("a.bias")), (std::vector<float>{1.5F, -2, 0.25F}));
    EXPECT_EQ(to_float32(*file.find("b")), (std::vector<float>{1, -0.5F}));
    EXPECT_EQ(file.find("ids")->dtype, DType::i64);
    EXPECT_EQ(to_float32(*file.find("scalar")), std::vector<float>{2.5F});
    EXPECT_EQ(to_float32(*file.find("tied")), (std::vector<float>{0.75F, 1, 1.25F}));
    EXPECT_EQ(to_float32(*file.find("parameter")), (std::vector<float>{3, 4}));
    EXPECT_EQ(file.find("empty")->shape, (std::vector<std::int64_t>{0, 5}));
    EXPECT_EQ(test::code_of([&] { static_cast<void>(to_float32(*file.find("ids"))); }),
              ErrorCode::invalid_input);
  }
}

TEST(TensorFile, PutsTransposedTensorsInOrder) {
  const TensorFile file = TensorFile::open(kGolden / "state-noncontiguous.bin");
  ASSERT_EQ(file.tensors().size(), 1U);
  EXPECT_EQ(file.find("t")->shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(to_float32(*file.find("t")), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(TensorFile, ExecutesNothing) {
  const std::string message = torch_refusal_of(io::read_file(kGolden / "state-pickled-module.bin"));
  EXPECT_THAT(message, HasSubstr("torch.nn.modules.linear.Linear"));
  EXPECT_THAT(message, HasSubstr("not executed"));
  // The classic: os.system called through REDUCE, in the legacy format.
  const std::string legacy("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15);
  const std::string version("\x80\x02M\xe9\x03.", 6);
  const std::string system("\x80\x02}q\x00.", 6);
  EXPECT_THAT(torch_refusal_of(legacy + version + system + std::string("\x80\x02", 2) +
                               std::string("cposix\nsystem\n(X\x04\x00\x00\x00truetR.", 27)),
              HasSubstr("posix.system"));
  for (const char operation : {'i', 'o', '\x81', '\x92', 'I', 'S', 'V', 'L', 'P', 'B', '\x82', '\x97'}) {
    const std::string state = std::string("\x80\x02", 2) + operation;
    EXPECT_THAT(torch_refusal_of(legacy + version + system + state), HasSubstr("operation")) << operation;
  }
}

TEST(TensorFile, EveryTruncationOfATorchFileIsRefused) {
  for (const char* name : {"state-zip.bin", "state-legacy.bin"}) {
    const std::string whole = io::read_file(kGolden / name);
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      EXPECT_NE(torch_refusal_of(whole.substr(0, size)), "") << name << " cut to " << size;
    }
  }
}

TEST(TensorFile, EveryTruncationOfASafetensorsFileIsRefused) {
  const std::string whole = test::safetensors({{"a", {2, 3}}, {"b", {4}}});
  EXPECT_EQ(refusal_of(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusal_of(whole.substr(0, size)), "") << size;
}

TEST(TensorFile, AHeaderOfTwoGigabytesIsRefusedWithoutReadingIt) {
  EXPECT_THAT(refusal_of(safetensors_file("{}", "", std::uint64_t{2} << 30)), HasSubstr("2147483648 bytes"));
  EXPECT_NE(refusal_of(safetensors_file("{}", "", ~std::uint64_t{0})), "");
}

TEST(TensorFile, RefusesHeadersThatDoNotAddUp) {
  const std::string data(8, '\0');
  const auto refused = [&](const std::string& header) { return refusal_of(safetensors_file(header, data)); };
  EXPECT_EQ(refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"), "");
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})"), HasSubstr("shape"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"),
              HasSubstr("belong to no tensor"));
  EXPECT_THAT(
      refused(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"),
      HasSubstr("begin"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})"), HasSubstr("cut off"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})"), HasSubstr("place"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})"), HasSubstr("F8_E4M3"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})"),
              HasSubstr("shape"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})"),
              HasSubstr("whole number"));
  EXPECT_THAT(
      refused(
          R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
      HasSubstr("twice"));
  EXPECT_THAT(refused(R"([1,2])"), HasSubstr("JSON"));
  EXPECT_THAT(refused(R"({"a":3})"), HasSubstr("incompletely"));
}

TEST(TensorFile, ReadsShardsByTheirIndex) {
  const test::Scratch scratch;
  io::write_file_atomically(scratch.path() / "model-1.safetensors", test::safetensors({{"a", {2}}}, 1));
  io::write_file_atomically(scratch.path() / "model-2.safetensors",
                            test::safetensors({{"b", {2}}, {"unlisted", {1}}}, 2));
  const auto index = [&](const std::string& map) {
    io::write_file_atomically(scratch.path() / "model.safetensors.index.json",
                              R"({"weight_map":)" + map + "}");
  };
  index(R"({"a":"model-1.safetensors","b":"model-2.safetensors"})");
  const TensorFile file = TensorFile::open(scratch.path());
  EXPECT_EQ(file.tensors().size(), 2U);
  EXPECT_EQ(to_float32(*file.find("b")), (std::vector<float>{2, 2}));
  EXPECT_EQ(file.files().size(), 3U);
  index(R"({"a":"model-2.safetensors"})");
  EXPECT_THAT(test::message_of([&] { static_cast<void>(TensorFile::open(scratch.path())); }),
              HasSubstr("'a' is not in"));
  index(R"({"a":"../model-1.safetensors"})");
  EXPECT_THAT(test::message_of([&] { static_cast<void>(TensorFile::open(scratch.path())); }),
              HasSubstr("no plain file name"));
  index(R"({"a":"model-3.safetensors"})");
  EXPECT_EQ(test::code_of([&] { static_cast<void>(TensorFile::open(scratch.path())); }),
            ErrorCode::not_found);
}

TEST(TensorFile, SaysThatThereIsNone) {
  const test::Scratch scratch;
  EXPECT_THAT(test::message_of([&] { static_cast<void>(TensorFile::open(scratch.path())); }),
              HasSubstr("mustcite model pull"));
  EXPECT_EQ(test::code_of([&] { static_cast<void>(TensorFile::open(scratch.path() / "x.safetensors")); }),
            ErrorCode::not_found);
}

}  // namespace
}  // namespace mustcite::model
