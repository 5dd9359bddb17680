// Tensors whose shape is part of their type, and the loops over them that the operators share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace op {

using Size = std::size_t;

// A row-major tensor: a pointer and nothing else. It does not own its memory. An input is a Tensor<const T, ...>.
template <class T, Size... D>
struct Tensor {
    using Value = std::remove_const_t<T>;
    using Memory = std::conditional_t<std::is_const_v<T>, const void, void>;
    static constexpr Size rank = sizeof...(D);
    static constexpr Size size = (Size{1} * ... * D);
    static constexpr std::array<Size, rank> shape{D...};

    T* data;

    explicit Tensor(Memory* memory) : data(static_cast<T*>(memory)) {}

    // Element by its position in memory, or of a matrix by row and column.
    T& operator[](Size position) const { return data[position]; }
    T& operator()(Size row, Size column) const { return data[row * shape[rank - 1] + column]; }
};

// Elements from one index of an axis to the next.
template <class X>
constexpr Size stride(Size axis) {
    Size result = 1;
    for (Size later = axis + 1; later < X::rank; ++later) result *= X::shape[later];
    return result;
}

// Whether X can be repeated to the shape of Y by ONNX's broadcasting: axes from the right are equal, 1 or missing.
template <class X, class Y>
constexpr bool fits() {
    if (X::rank > Y::rank) return false;
    for (Size axis = 0; axis < X::rank; ++axis)
        if (X::shape[axis] != 1 && X::shape[axis] != Y::shape[Y::rank - X::rank + axis]) return false;
    return true;
}

// The stride of X along an axis of Y: 0 where X is repeated.
template <class X, class Y>
constexpr Size repeated_stride(Size axis) {
    constexpr Size missing = Y::rank - X::rank;
    return axis < missing || X::shape[axis - missing] == 1 ? 0 : stride<X>(axis - missing);
}

// Calls f(y, x...) with the positions of every element of Y and of the elements of X... that are repeated to it.
// The calls are independent of each other, so the compiler may do several at once.
template <class Y, Size Axis, class... X, class F, class... Position>
inline void walk(const F& f, Size y, Position... x) {
    if constexpr (Axis == Y::rank) {
        f(y, x...);
    } else {
        constexpr Size count = Y::shape[Axis];
#pragma GCC ivdep
        for (Size i = 0; i < count; ++i)
            walk<Y, Axis + 1, X...>(f, y + i * stride<Y>(Axis), (x + i * repeated_stride<X, Y>(Axis))...);
    }
}

// y = f(x...), element by element.
template <class F, class Y, class... X>
inline void map(const F& f, Y y, X... x) {
    static_assert((fits<X, Y>() && ...), "an input does not broadcast to the shape of the output");
    if constexpr (((X::size == Y::size) && ...)) {
#pragma GCC ivdep
        for (Size i = 0; i < Y::size; ++i) y[i] = f(x[i]...);
    } else {
        const auto set = [&](Size position, auto... from) { y[position] = f(x[from]...); };
        walk<Y, 0, X...>(set, 0, (static_cast<void>(x), Size{0})...);
    }
}

// A list of axes, or any list of sizes that an operator takes at compile time.
template <Size... Values>
struct List {
    static constexpr std::array<Size, sizeof...(Values)> values{Values...};
    static constexpr bool has(Size value) { return ((value == Values) || ...); }
    constexpr Size operator[](Size i) const { return values[i]; }
};

// Calls f with the position of every element of X whose index runs along the axes in Axes (Inside) or along the others.
template <class X, class Axes, bool Inside, Size Axis = 0, class F>
inline void visit(Size position, const F& f) {
    if constexpr (Axis == X::rank) {
        f(position);
    } else if constexpr (Axes::has(Axis) == Inside) {
        for (Size i = 0; i < X::shape[Axis]; ++i) visit<X, Axes, Inside, Axis + 1>(position + i * stride<X>(Axis), f);
    } else {
        visit<X, Axes, Inside, Axis + 1>(position, f);
    }
}

}  // namespace op
