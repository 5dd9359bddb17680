// One template per ONNX operator, shapes known at compile time. C++17, for GCC and Clang.
#pragma once

#include "conv.hpp"
#include "elementwise.hpp"
#include "gemm.hpp"
#include "move.hpp"
#include "packed.hpp"
#include "place.hpp"
#include "products.hpp"
#include "reduce.hpp"
#include "rounding.hpp"
#include "softmax.hpp"
#include "tensor.hpp"
