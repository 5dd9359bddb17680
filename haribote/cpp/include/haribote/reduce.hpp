// Operators that make one number of many. Sums are kept in double, so that their rounding does not grow with the batch.
#pragma once

#include <limits>

#include "tensor.hpp"

namespace op {

// y = finish(f(... f(f(start, x), x) ...)) over the elements along Axes, in order of memory.
template <class Axes, class X, class Y, class Sum, class F, class G>
void reduce(X x, Y y, Sum start, const F& f, const G& finish) {
    Size position = 0;
    visit<X, Axes, false>(0, [&](Size first) {
        Sum result = start;
        visit<X, Axes, true>(first, [&](Size i) { result = f(result, x[i]); });
        y[position++] = finish(result);
    });
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
    constexpr Size count = X::size / Y::size;
    reduce<Axes>(x, y, Wide<T>(0), [](auto sum, T p) { return sum + p; }, [](auto sum) { return T(sum / count); });
}

template <class Axes, class X, class Y>
void reduce_max(X x, Y y) {
    using T = typename X::Value;
    constexpr T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    reduce<Axes>(x, y, lowest, [](T best, T p) { return p > best || p != p ? p : best; }, [](T best) { return best; });
}

}  // namespace op
