#pragma once

// LibTorch's own way to write an operator with a backward pass; more of its headers than most files need.
#include "engine/neural/torch.hpp"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#pragma GCC diagnostic pop
