// Convolution and pooling of images [N, channels, height, width]. Their gradients belong here too.
#pragma once

#include <limits>
#include <memory>

#include "gemm.hpp"

namespace op {

// How a window of `Kernel` (height, width) moves over an image: ONNX's attributes. Pads: top, left, bottom, right.
template <class Kernel, class Strides, class Pads, class Dilations>
struct Window {
    static constexpr Kernel kernel{};
    static constexpr Size area = kernel[0] * kernel[1];

    // The row (axis 0) or column (axis 1) of the image that element `offset` of the window at `place` sees. Outside of
    // the image it is at least the image's size: a negative one wraps around.
    static constexpr Size seen(Size axis, Size place, Size offset) {
        return place * Strides{}[axis] + offset * Dilations{}[axis] - Pads{}[axis];
    }
};

// Calls f(position in columns, position in the image) for every element that a window sees inside an image of H x W;
// columns is [channels * window, places]. OH x OW places.
template <class W, Size Channels, Size Height, Size Width, Size OH, Size OW, class F>
inline void unfold(const F& f) {
    for (Size channel = 0; channel < Channels; ++channel)
        for (Size offset = 0; offset < W::area; ++offset)
            for (Size i = 0; i < OH; ++i) {
                const Size row = W::seen(0, i, offset / W::kernel[1]);
                if (row >= Height) continue;
                for (Size j = 0; j < OW; ++j) {
                    const Size column = W::seen(1, j, offset % W::kernel[1]);
                    if (column < Width)
                        f(((channel * W::area + offset) * OH + i) * OW + j, (channel * Height + row) * Width + column);
                }
            }
}

// y = x convolved with w [outputs, channels / Groups, kernel]: what each place sees becomes a column, then one product.
template <class Algorithm, class W, Size Groups, class X, class K, class Y>
void conv(X x, K w, Y y) {
    using T = typename Y::Value;
    constexpr Size channels = X::shape[1] / Groups, outputs = Y::shape[1] / Groups, depth = channels * W::area;
    constexpr Size image = stride<X>(1) * channels, places = stride<Y>(1);
    const std::unique_ptr<T[]> columns(new T[depth * places]());
    for (Size part = 0; part < X::shape[0] * Groups; ++part) {
        const auto* source = x.data + part * image;
        unfold<W, channels, X::shape[2], X::shape[3], Y::shape[2], Y::shape[3]>(
            [&](Size to, Size from) { columns[to] = source[from]; });
        gemm<Algorithm, 'N', 'N'>(Tensor<const T, outputs, depth>(w.data + part % Groups * outputs * depth),
                                  Tensor<const T, depth, places>(columns.get()),
                                  Tensor<T, outputs, places>(y.data + part * outputs * places));
    }
}

// Adds a number per output channel to the images y.
template <class B, class Y>
void add_bias(B bias, Y y) {
    map([](auto p, auto q) { return p + q; }, y, Tensor<const typename Y::Value, 1, Y::shape[1], 1, 1>(bias.data), y);
}

// The convolution with its bias, one number per output channel.
template <class Algorithm, class W, Size Groups, class X, class K, class B, class Y>
void conv(X x, K w, B bias, Y y) {
    conv<Algorithm, W, Groups>(x, w, y);
    add_bias(bias, y);
}

// ConvTranspose, the gradient of conv by x: w is [channels, outputs / Groups, kernel]; each x adds w to what it saw.
template <class Algorithm, class W, Size Groups, class X, class K, class Y>
void conv_transpose(X x, K w, Y y) {
    using T = typename Y::Value;
    constexpr Size channels = X::shape[1] / Groups, outputs = Y::shape[1] / Groups, depth = outputs * W::area;
    constexpr Size image = stride<Y>(1) * outputs, places = stride<X>(1);
    const std::unique_ptr<T[]> columns(new T[depth * places]);
    for (Size i = 0; i < Y::size; ++i) y[i] = 0;
    for (Size part = 0; part < X::shape[0] * Groups; ++part) {
        gemm<Algorithm, 'T', 'N'>(Tensor<const T, channels, depth>(w.data + part % Groups * channels * depth),
                                  Tensor<const T, channels, places>(x.data + part * channels * places),
                                  Tensor<T, depth, places>(columns.get()));
        auto* target = y.data + part * image;
        unfold<W, outputs, Y::shape[2], Y::shape[3], X::shape[2], X::shape[3]>(
            [&](Size from, Size to) { target[to] += columns[from]; });
    }
}

template <class Algorithm, class W, Size Groups, class X, class K, class B, class Y>
void conv_transpose(X x, K w, B bias, Y y) {
    conv_transpose<Algorithm, W, Groups>(x, w, y);
    add_bias(bias, y);
}

// Calls f(position in y, position in x) with the largest element that each window of a MaxPool sees (NaN is largest).
template <class W, class X, class Y, class F>
inline void each_maximum(X x, const F& f) {
    for (Size y = 0; y < Y::size; ++y) {
        const Size i = y / Y::shape[3] % Y::shape[2], j = y % Y::shape[3], image = y / stride<Y>(1) * stride<X>(1);
        Size best = X::size;
        for (Size offset = 0; offset < W::area; ++offset) {
            const Size row = W::seen(0, i, offset / W::kernel[1]), column = W::seen(1, j, offset % W::kernel[1]);
            if (row >= X::shape[2] || column >= X::shape[3]) continue;
            const Size from = image + row * X::shape[3] + column;
            if (best == X::size || x[from] > x[best] || x[from] != x[from]) best = from;
        }
        if (best != X::size) f(y, best);
    }
}

// y before the maxima are written: what remains where a window sees nothing of the image.
template <class Y>
void forget(Y y) {
    for (Size i = 0; i < Y::size; ++i) y[i] = std::numeric_limits<typename Y::Value>::lowest();
}

template <class W, class X, class Y>
void max_pool(X x, Y y) {
    forget(y);
    each_maximum<W, X, Y>(x, [&](Size to, Size from) { y[to] = x[from]; });
}

// MaxPool with its second output: where in x each maximum was found.
template <class W, class X, class Y, class I>
void max_pool(X x, Y y, I indices) {
    forget(y);
    for (Size i = 0; i < I::size; ++i) indices[i] = 0;
    each_maximum<W, X, Y>(x, [&](Size to, Size from) {
        y[to] = x[from];
        indices[to] = static_cast<typename I::Value>(from);
    });
}

// haribote.MaxPoolGrad: each element of grad goes to the element of x that its window chose.
template <class W, class G, class X, class Y>
void max_pool_grad(G grad, X x, Y y) {
    for (Size i = 0; i < Y::size; ++i) y[i] = 0;
    each_maximum<W, X, G>(x, [&](Size from, Size to) { y[to] += grad[from]; });
}

// The mean of what each window sees; with Padding what lies outside of the image counts as zeros.
template <class W, bool Padding, class X, class Y>
void average_pool(X x, Y y) {
    for (Size to = 0; to < Y::size; ++to) {
        const Size i = to / Y::shape[3] % Y::shape[2], j = to % Y::shape[3], image = to / stride<Y>(1) * stride<X>(1);
        double sum = 0;
        Size count = 0;
        for (Size offset = 0; offset < W::area; ++offset) {
            const Size row = W::seen(0, i, offset / W::kernel[1]), column = W::seen(1, j, offset % W::kernel[1]);
            if (row >= X::shape[2] || column >= X::shape[3]) continue;
            sum += x[image + row * X::shape[3] + column];
            ++count;
        }
        y[to] = static_cast<typename Y::Value>(sum / static_cast<double>(Padding ? W::area : count));
    }
}

}  // namespace op
