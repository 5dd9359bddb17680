// Operators that make one number of many. Sums are kept in double, so that their rounding does not grow with the batch.
#pragma once

#include <limits>

#include "tensor.hpp"

namespace op {

// Whether Axes are the first axes of X: then each row of what is left is added to the rows before it.
template <class Axes, class X>
constexpr bool leading() {
    for (Size axis = 0; axis < X::rank; ++axis)
        if (Axes::has(axis) != (axis < Axes::values.size())) return false;
    return Axes::values.size() < X::rank;
}

// y = finish(f(... f(f(start, x), x) ...)) over the elements along Axes, in order of memory.
template <class Axes, class X, class Y, class Sum, class F, class G>
void reduce(X x, Y y, Sum start, const F& f, const G& finish) {
    if constexpr (leading<Axes, X>() && X::size > 0) {
        constexpr Size width = 64;  // sums side by side, which the compiler adds to at once
        for (Size column = 0; column < Y::size; column += width) {
            const Size count = Y::size - column < width ? Y::size - column : width;
            Sum result[width];
            for (Size j = 0; j < count; ++j) result[j] = start;
            for (Size row = 0; row < X::size; row += Y::size)
                for (Size j = 0; j < count; ++j) result[j] = f(result[j], x[row + column + j]);
            for (Size j = 0; j < count; ++j) y[column + j] = finish(result[j]);
        }
    } else {
        Size position = 0;
        visit<X, Axes, false>(0, [&](Size first) {
            Sum result = start;
            visit<X, Axes, true>(first, [&](Size i) { result = f(result, x[i]); });
            y[position++] = finish(result);
        });
    }
}

template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;

template <class Axes, class X, class Y>
void reduce_sum(X x, Y y) {
    using T = typename X::Value;
    reduce<Axes>(x, y, Wide<T>(0), [](auto sum, T p) { return sum + p; }, [](auto sum) { return T(sum); });
}

template <class Axes, class X, class Y>
void reduce_mean(X x, Y y) {
    using T = typename X::Value;
    reduce<Axes>(x, y, Wide<T>(0), [](auto sum, T p) { return sum + p; },
                 [](auto sum) { return T(sum / static_cast<Wide<T>>(X::size / Y::size)); });
}

template <class Axes, class X, class Y>
void reduce_max(X x, Y y) {
    using T = typename X::Value;
    constexpr T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    reduce<Axes>(x, y, lowest, [](T best, T p) { return p > best || p != p ? p : best; }, [](T best) { return best; });
}

template <class Axes, class X, class Y>
void reduce_min(X x, Y y) {
    using T = typename X::Value;
    constexpr T highest = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    reduce<Axes>(x, y, highest, [](T best, T p) { return p < best || p != p ? p : best; }, [](T best) { return best; });
}

template <class Axes, class X, class Y>
void reduce_prod(X x, Y y) {
    using T = typename X::Value;
    reduce<Axes>(x, y, Wide<T>(1), [](auto all, T p) { return all * p; }, [](auto all) { return T(all); });
}

// Where the largest (or smallest) element is along an axis: the first one of several, or the last one.
template <Size Axis, bool Largest, bool Last, class X, class Y>
void arg(X x, Y y) {
    Size position = 0;
    visit<X, List<Axis>, false>(0, [&](Size first) {
        Size best = 0;
        for (Size i = 1; i < X::shape[Axis]; ++i) {
            const auto p = x[first + i * stride<X>(Axis)], q = x[first + best * stride<X>(Axis)];
            if ((Largest ? p > q : p < q) || (Last && p == q)) best = i;
        }
        y[position++] = static_cast<typename Y::Value>(best);
    });
}

// Sums of all up to each element along an axis (Exclusive: up to the one before), or from the end.
template <Size Axis, bool Exclusive, bool Reverse, class X, class Y>
void cumsum(X x, Y y) {
    using T = typename X::Value;
    visit<X, List<Axis>, false>(0, [&](Size first) {
        Wide<T> sum = 0;
        for (Size i = 0; i < X::shape[Axis]; ++i) {
            const Size at = first + (Reverse ? X::shape[Axis] - 1 - i : i) * stride<X>(Axis);
            if (Exclusive) y[at] = static_cast<T>(sum);
            sum += x[at];
            if (!Exclusive) y[at] = static_cast<T>(sum);
        }
    });
}

}  // namespace op
