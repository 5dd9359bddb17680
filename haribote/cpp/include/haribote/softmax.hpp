// Softmax cross-entropy, forward and backward. Rows run along the last axis.
#pragma once

#include <cmath>
#include <limits>

#include "tensor.hpp"

namespace op {

template <class X>
inline constexpr Size row_size = X::shape[X::rank - 1];

// Calls f with the start of every row.
template <class X, class F>
inline void rows(const F& f) {
    for (Size start = 0; start < X::size; start += row_size<X>) f(start);
}

// The largest element of a row, which is subtracted before exp so that nothing overflows.
template <class X>
inline auto row_max(X x, Size start) {
    auto best = x[start] + 0;
    for (Size j = 1; j < row_size<X>; ++j) best = x[start + j] > best ? x[start + j] : best;
    return best;
}

template <class X, class Y>
void softmax(X x, Y y) {
    rows<X>([&](Size start) {
        const auto largest = row_max(x, start);
        typename Y::Value sum = 0;
        for (Size j = start; j < start + row_size<X>; ++j) sum += y[j] = std::exp(x[j] - largest);
        for (Size j = start; j < start + row_size<X>; ++j) y[j] /= sum;
    });
}

template <class X, class Y>
void log_softmax(X x, Y y) {
    rows<X>([&](Size start) {
        const auto largest = row_max(x, start);
        typename Y::Value sum = 0;
        for (Size j = start; j < start + row_size<X>; ++j) sum += std::exp(x[j] - largest);
        const auto log_sum = std::log(sum);  // not added to the largest, which may be so large that it would be lost
        for (Size j = start; j < start + row_size<X>; ++j) y[j] = x[j] - largest - log_sum;
    });
}

// haribote.LogSoftmaxGrad: the gradient by the logits from the one by log_p = log_softmax(logits).
template <class G, class P, class Y>
void log_softmax_grad(G log_p_grad, P log_p, Y y) {
    rows<Y>([&](Size start) {
        typename Y::Value sum = 0;
        for (Size j = start; j < start + row_size<Y>; ++j) sum += log_p_grad[j];
        for (Size j = start; j < start + row_size<Y>; ++j) y[j] = log_p_grad[j] - std::exp(log_p[j]) * sum;
    });
}

// Minus the log probability at the label of a row; NaN where the label is no class.
template <class P, class L>
inline auto row_loss(P log_p, L labels, Size row) {
    using T = typename P::Value;
    const auto label = labels[row];
    if (label < 0 || static_cast<Size>(label) >= row_size<P>) return std::numeric_limits<T>::quiet_NaN();
    return -log_p(row, static_cast<Size>(label));
}

template <class P, class L, class Y>
void nll_loss_none(P log_p, L labels, Y y) {
    for (Size row = 0; row < L::size; ++row) y[row] = row_loss(log_p, labels, row);
}

template <class P, class L, class Y>
void nll_loss_sum(P log_p, L labels, Y y) {
    double sum = 0;
    for (Size row = 0; row < L::size; ++row) sum += row_loss(log_p, labels, row);
    y[0] = static_cast<typename Y::Value>(sum);
}

template <class P, class L, class Y>
void nll_loss_mean(P log_p, L labels, Y y) {
    double sum = 0;
    for (Size row = 0; row < L::size; ++row) sum += row_loss(log_p, labels, row);
    y[0] = static_cast<typename Y::Value>(sum / L::size);
}

// haribote.NLLLossGrad: minus scale at the label of each row, else 0. scale: a scalar, one per row, or as y.
template <class S, class L, class Y>
void nll_loss_grad(S scale, L labels, Y y) {
    static_assert(fits<S, Y>(), "scale does not broadcast to the shape of the gradient");
    for (Size row = 0; row < L::size; ++row)
        for (Size j = 0; j < row_size<Y>; ++j) {
            const bool hit = static_cast<std::int64_t>(labels[row]) == static_cast<std::int64_t>(j);
            const auto factor = scale[row * repeated_stride<S, Y>(0) + j * repeated_stride<S, Y>(1)];
            y(row, j) = hit ? -factor : typename Y::Value(0);
        }
}

}  // namespace op
