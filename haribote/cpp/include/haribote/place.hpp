// Operators that move elements to and from places: joining, repeating, padding, looking up and scattering.
// An index that is no index reads 0 (NaN of a floating type) and writes nothing, so no input reaches foreign memory.
#pragma once

#include <cstddef>
#include <limits>
#include <tuple>

#include "tensor.hpp"

namespace op {

// A list of numbers that may be negative, as List is one of sizes.
template <std::ptrdiff_t... Values>
struct Signed {
    static constexpr std::array<std::ptrdiff_t, sizeof...(Values)> values{Values...};
    constexpr std::ptrdiff_t operator[](Size i) const { return values[i]; }
};

// What is read where there is nothing.
template <class T>
constexpr T nothing() {
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
    else return T(0);
}

// The place that an index names on an axis of `size` (negative: from the end); at least `size` where it names none.
template <class I>
inline Size place_of(I index, Size size) {
    const auto wide = static_cast<std::int64_t>(index), length = static_cast<std::int64_t>(size);
    const auto place = wide < 0 && wide >= -length ? wide + length : wide;
    return place < 0 ? size : static_cast<Size>(place);
}

// Elements before, and within, one index of an axis: [before, axis, after].
template <class X, Size Axis>
inline constexpr Size before = X::size / (stride<X>(Axis) * X::shape[Axis]);

// Copies all of `part` to `whole` (or back, for Out), where it begins at `start` on the axis.
template <Size Axis, bool Out, class W, class P>
void copy_part(W whole, P part, Size start) {
    constexpr Size length = P::shape[Axis] * stride<P>(Axis), step = W::shape[Axis] * stride<W>(Axis);
    if constexpr (P::size > 0)
        for (Size i = 0; i < before<P, Axis>; ++i)
            for (Size j = 0; j < length; ++j) {
                const Size at = i * step + start * stride<W>(Axis) + j;
                if constexpr (Out) part[i * length + j] = whole[at];
                else whole[at] = part[i * length + j];
            }
}

// The inputs one after another along an axis; the last argument is the result.
template <Size Axis, class... T>
void concat(T... tensors) {
    const auto all = std::make_tuple(tensors...);
    const auto y = std::get<sizeof...(T) - 1>(all);
    Size start = 0, number = 0;
    const auto put = [&](auto x) {
        if (++number == sizeof...(T)) return;
        copy_part<Axis, false>(y, x, start);
        start += decltype(x)::shape[Axis];
    };
    (put(tensors), ...);
}

// The parts of x along an axis, each as long as its result.
template <Size Axis, class X, class... Y>
void split(X x, Y... parts) {
    Size start = 0;
    ((copy_part<Axis, true>(x, parts, start), start += Y::shape[Axis]), ...);
}

// Every Steps-th element of x from Starts on; a negative step goes backwards.
template <class Starts, class Steps, Size Axis = 0, class X, class Y>
void strided(X x, Y y, Size from = 0, Size to = 0) {
    if constexpr (Axis == Y::rank) {
        y[to] = x[from];
    } else {
        for (Size i = 0; i < Y::shape[Axis]; ++i) {
            const Size place = Starts{}[Axis] + i * static_cast<Size>(Steps{}[Axis]);  // a negative step wraps around
            strided<Starts, Steps, Axis + 1>(x, y, from + place * stride<X>(Axis), to + i * stride<Y>(Axis));
        }
    }
}

// x again and again along each axis, as often as fits into y.
template <Size Axis = 0, class X, class Y>
void tile(X x, Y y, Size from = 0, Size to = 0) {
    if constexpr (Axis == Y::rank) {
        y[to] = x[from];
    } else {
        for (Size i = 0; i < Y::shape[Axis]; ++i)
            tile<Axis + 1>(x, y, from + i % X::shape[Axis] * stride<X>(Axis), to + i * stride<Y>(Axis));
    }
}

// y = x amid something else: f(i, size) is the place on an axis that i, counted from where x begins, shows; at least
// `size` for none, then `value` is written.
template <class Before, Size Axis = 0, class X, class Y, class F>
void padded(X x, Y y, typename Y::Value value, const F& f, bool inside = true, Size from = 0, Size to = 0) {
    if constexpr (Axis == Y::rank) {
        y[to] = inside ? x[from] : value;
    } else {
        for (Size i = 0; i < Y::shape[Axis]; ++i) {
            const Size place = f(static_cast<std::ptrdiff_t>(i) - Before{}[Axis], X::shape[Axis]);
            const bool there = inside && place < X::shape[Axis];
            padded<Before, Axis + 1>(x, y, value, f, there, there ? from + place * stride<X>(Axis) : 0,
                                     to + i * stride<Y>(Axis));
        }
    }
}

template <class Before, class X, class Y>
void pad_constant(X x, Y y) {
    padded<Before>(x, y, typename Y::Value(0),
                   [](std::ptrdiff_t i, Size size) { return i < 0 ? size : static_cast<Size>(i); });
}

template <class Before, class X, class V, class Y>
void pad_constant(X x, V value, Y y) {
    padded<Before>(x, y, value[0], [](std::ptrdiff_t i, Size size) { return i < 0 ? size : static_cast<Size>(i); });
}

template <class Before, class X, class Y>
void pad_edge(X x, Y y) {
    padded<Before>(x, y, typename Y::Value(0), [](std::ptrdiff_t i, Size size) {
        return i < 0 ? Size{0} : static_cast<Size>(i) < size ? static_cast<Size>(i) : size - 1;
    });
}

template <class Before, class X, class Y>
void pad_reflect(X x, Y y) {
    padded<Before>(x, y, typename Y::Value(0), [](std::ptrdiff_t i, Size size) {
        const Size place = static_cast<Size>(i < 0 ? -i : i);
        return place < size ? place : 2 * size - 2 - place;
    });
}

// The elements of x, counted row by row, that the indices name; `fill` where one names none.
template <class X, class I, class Y>
void pick(X x, I indices, Y y, typename Y::Value fill) {
    for (Size i = 0; i < Y::size; ++i) {
        const auto place = static_cast<Size>(static_cast<std::int64_t>(indices[i]));  // a negative one becomes large
        y[i] = place < X::size ? x[place] : fill;
    }
}

// The parts of x that the indices name on an axis.
template <Size Axis, class X, class I, class Y>
void gather(X x, I indices, Y y) {
    constexpr Size length = stride<X>(Axis), step = length * X::shape[Axis];
    Size to = 0;
    if constexpr (Y::size > 0)
        for (Size i = 0; i < before<X, Axis>; ++i)
            for (Size number = 0; number < I::size; ++number) {
                const Size place = place_of(indices[number], X::shape[Axis]);
                for (Size j = 0; j < length; ++j, ++to)
                    y[to] = place < X::shape[Axis] ? x[i * step + place * length + j] : nothing<typename Y::Value>();
            }
}

// y has the shape of indices; along Axis its element is the one of x that the index names.
template <Size Axis, Size At = 0, class X, class I, class Y>
void gather_elements(X x, I indices, Y y, Size from = 0, Size to = 0) {
    if constexpr (At == Y::rank) {
        const Size place = place_of(indices[to], X::shape[Axis]);
        y[to] = place < X::shape[Axis] ? x[from + place * stride<X>(Axis)] : nothing<typename Y::Value>();
    } else {
        for (Size i = 0; i < Y::shape[At]; ++i)
            gather_elements<Axis, At + 1>(x, indices, y, from + (At == Axis ? 0 : i * stride<X>(At)),
                                          to + i * stride<Y>(At));
    }
}

// Where the row of indices that begins at `start` points to in X; X::size where it points nowhere.
template <class X, class I>
inline Size pointed(I indices, Size start) {
    constexpr Size depth = I::shape[I::rank - 1];
    Size from = 0;
    for (Size axis = 0; axis < depth; ++axis) {
        const Size place = place_of(indices[start + axis], X::shape[axis]);
        if (place >= X::shape[axis]) return X::size;
        from += place * stride<X>(axis);
    }
    return from;
}

// The last axis of indices is an index of x's first axes; y has, for each, the part of x that it names.
template <class X, class I, class Y>
void gather_nd(X x, I indices, Y y) {
    constexpr Size depth = I::shape[I::rank - 1], length = stride<X>(depth - 1);
    for (Size row = 0; row < I::size / depth; ++row) {
        const Size from = pointed<X>(indices, row * depth);
        for (Size j = 0; j < length; ++j)
            y[row * length + j] = from < X::size ? x[from + j] : nothing<typename Y::Value>();
    }
}

// How what is scattered meets what is there.
struct scatter_none { template <class T> T operator()(T, T update) const { return update; } };
struct scatter_add { template <class T> T operator()(T old, T update) const { return static_cast<T>(old + update); } };
struct scatter_mul { template <class T> T operator()(T old, T update) const { return static_cast<T>(old * update); } };
struct scatter_max { template <class T> T operator()(T old, T update) const { return old > update ? old : update; } };
struct scatter_min { template <class T> T operator()(T old, T update) const { return old < update ? old : update; } };

template <Size Axis, class Combine, Size At = 0, class I, class U, class Y>
void scatter_into(I indices, U updates, Y y, Size from = 0, Size to = 0) {
    if constexpr (At == I::rank) {
        const Size place = place_of(indices[from], Y::shape[Axis]);
        if (place >= Y::shape[Axis]) return;
        auto& target = y[to + place * stride<Y>(Axis)];
        target = Combine{}(target, updates[from]);
    } else {
        for (Size i = 0; i < I::shape[At]; ++i)
            scatter_into<Axis, Combine, At + 1>(indices, updates, y, from + i * stride<I>(At),
                                                to + (At == Axis ? 0 : i * stride<Y>(At)));
    }
}

// x, in which each update goes to the element that its index names along Axis.
template <Size Axis, class Combine, class X, class I, class U, class Y>
void scatter_elements(X x, I indices, U updates, Y y) {
    for (Size i = 0; i < Y::size; ++i) y[i] = x[i];
    scatter_into<Axis, Combine>(indices, updates, y);
}

// x, in which each part of updates goes to where the last axis of indices says.
template <class Combine, class X, class I, class U, class Y>
void scatter_nd(X x, I indices, U updates, Y y) {
    constexpr Size depth = I::shape[I::rank - 1], length = stride<Y>(depth - 1);
    for (Size i = 0; i < Y::size; ++i) y[i] = x[i];
    for (Size row = 0; row < I::size / depth; ++row) {
        const Size to = pointed<Y>(indices, row * depth);
        for (Size j = 0; j < length && to < Y::size; ++j) y[to + j] = Combine{}(y[to + j], updates[row * length + j]);
    }
}

// The part of each matrix above (Upper) or below a diagonal, the rest 0.
template <bool Upper, std::ptrdiff_t Offset, class X, class Y>
void trilu(X x, Y y) {
    constexpr Size rows = Y::shape[Y::rank - 2], columns = Y::shape[Y::rank - 1];
    for (Size i = 0; i < Y::size; ++i) {
        const auto row = static_cast<std::ptrdiff_t>(i / columns % rows), column = static_cast<std::ptrdiff_t>(i % columns);
        const bool kept = Upper ? column - row >= Offset : column - row <= Offset;
        y[i] = kept ? x[i] : typename Y::Value(0);
    }
}

}  // namespace op
