#include "core/learn/boost.hpp"

#include <xgboost/c_api.h>

#include <limits>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::learn {
namespace {

void must(int result, const char* what) {
  if (result != 0) fail(ErrorCode::invalid_input, "training trees: {} failed: {}", what, XGBGetLastError());
}

/// A DMatrix with labels, weights and groups; frees itself.
class Matrix {
 public:
  explicit Matrix(const Examples& examples) {
    if (examples.columns == 0 || examples.values.size() != examples.columns * examples.rows()) {
      fail(ErrorCode::invalid_input, "training trees: {} values for {} rows of {} columns",
           examples.values.size(), examples.rows(), examples.columns);
    }
    must(XGDMatrixCreateFromMat(examples.values.data(), examples.rows(), examples.columns,
                                std::numeric_limits<float>::quiet_NaN(), &handle_),
         "loading the examples");
    set("label", examples.labels);
    if (!examples.groups.empty()) {
      must(XGDMatrixSetUIntInfo(handle_, "group", examples.groups.data(), examples.groups.size()),
           "grouping");
    }
    if (!examples.weights.empty()) set("weight", examples.weights);
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  [[nodiscard]] DMatrixHandle get() const noexcept { return handle_; }

 private:
  void set(const char* field, const std::vector<float>& values) {
    must(XGDMatrixSetFloatInfo(handle_, field, values.data(), values.size()), field);
  }
  DMatrixHandle handle_ = nullptr;
};

}  // namespace

struct Booster::Impl {
  BoosterHandle handle = nullptr;
  ~Impl() { XGBoosterFree(handle); }
};

Booster::Booster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Booster::Booster(Booster&&) noexcept = default;
Booster& Booster::operator=(Booster&&) noexcept = default;
Booster::~Booster() = default;

Booster Booster::train(const Examples& examples, const BoostOptions& options,
                       const std::function<void(int)>& after_round) {
  if (examples.rows() == 0) fail(ErrorCode::invalid_input, "training trees: there are no examples");
  const Matrix matrix(examples);
  auto impl = std::make_unique<Impl>();
  const DMatrixHandle handles[1] = {matrix.get()};
  must(XGBoosterCreate(handles, 1, &impl->handle), "making a model");
  const auto set = [&](const std::string& name, const std::string& value) {
    must(XGBoosterSetParam(impl->handle, name.c_str(), value.c_str()), name.c_str());
  };
  set("nthread", std::to_string(options.threads));
  set("seed", std::to_string(options.seed));
  set("verbosity", "0");
  set("tree_method", "hist");
  for (const auto& [name, value] : options.params) set(name, value);
  for (int round = 0; round < options.rounds; ++round) {
    stop_if_interrupted();
    must(XGBoosterUpdateOneIter(impl->handle, round, matrix.get()), "a round");
    if (after_round) after_round(round + 1);
  }
  return Booster(std::move(impl));
}

std::vector<float> Booster::margins(const Examples& examples) const {
  const Matrix matrix(examples);
  bst_ulong size = 0;
  const float* values = nullptr;
  constexpr int kMargin = 1;
  must(XGBoosterPredict(impl_->handle, matrix.get(), kMargin, 0, 0, &size, &values), "predicting");
  return {values, values + size};
}

std::string Booster::to_json() const {
  bst_ulong size = 0;
  const char* bytes = nullptr;
  must(XGBoosterSaveModelToBuffer(impl_->handle, R"({"format": "json"})", &size, &bytes), "saving the model");
  return {bytes, size};
}

}  // namespace mustcite::learn
