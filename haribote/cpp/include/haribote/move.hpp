// Operators that only move elements.
#pragma once

#include "tensor.hpp"

namespace op {

// The same elements in the same order: Reshape, Flatten, Squeeze, Unsqueeze, Identity.
template <class X, class Y>
void reshape(X x, Y y) {
    static_assert(X::size == Y::size, "a reshape keeps the number of elements");
    for (Size i = 0; i < Y::size; ++i) y[i] = x[i];
}

// Axis i of y is axis Order[i] of x.
template <class Order, Size Axis = 0, class X, class Y>
void transpose(X x, Y y, Size from = 0, Size to = 0) {
    if constexpr (Axis == Y::rank) {
        y[to] = x[from];
    } else {
        static_assert(Y::shape[Axis] == X::shape[Order{}[Axis]], "y is not x with its axes in this order");
        for (Size i = 0; i < Y::shape[Axis]; ++i)
            transpose<Order, Axis + 1>(x, y, from + i * stride<X>(Order{}[Axis]), to + i * stride<Y>(Axis));
    }
}

// The part of x of y's shape that begins at Starts.
template <class Starts, Size Axis = 0, class X, class Y>
void slice(X x, Y y, Size from = 0, Size to = 0) {
    if constexpr (Axis == Y::rank) {
        y[to] = x[from];
    } else {
        for (Size i = 0; i < Y::shape[Axis]; ++i)
            slice<Starts, Axis + 1>(x, y, from + (Starts{}[Axis] + i) * stride<X>(Axis), to + i * stride<Y>(Axis));
    }
}

// One row of y per label: values[1] at the label (negative: from the end), values[0] elsewhere.
template <class L, class V, class Y>
void one_hot(L labels, V values, Y y) {
    constexpr auto depth = static_cast<std::int64_t>(Y::shape[Y::rank - 1]);
    for (Size row = 0; row < L::size; ++row) {
        const auto label = static_cast<std::int64_t>(labels[row]);
        for (std::int64_t j = 0; j < depth; ++j) y[row * depth + j] = values[j == label || j == label + depth];
    }
}

}  // namespace op
