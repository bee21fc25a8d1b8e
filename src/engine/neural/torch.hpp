#pragma once

// The only door to LibTorch: included by .cpp files of this room and by its private headers, never outside.
// <ATen/ATen.h> compiles in half the time of <torch/torch.h> and holds everything used here, gradients
// included.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <ATen/ATen.h>
#pragma GCC diagnostic pop
