// Products of stacks of matrices: MatMul with more than two axes.
#pragma once

#include "gemm.hpp"

namespace op {

// The sizes of a tensor's last two axes; of a vector, those of the row or column that it stands for.
template <class X, bool Left>
struct Matrix {
    static constexpr bool vector = X::rank == 1;
    static constexpr Size rows = vector ? (Left ? 1 : X::shape[0]) : X::shape[X::rank - (vector ? 1 : 2)];
    static constexpr Size columns = vector ? (Left ? X::shape[0] : 1) : X::shape[X::rank - 1];
    static constexpr Size area = rows * columns;
    static constexpr Size axes = vector ? 0 : X::rank - 2;  // in front of the matrices
};

// Elements of X from one matrix to the next along axis `axis` of `axes` common ones in front; 0 where X is repeated.
template <class X, bool Left>
constexpr Size matrix_stride(Size axis, Size axes) {
    const Size missing = axes - Matrix<X, Left>::axes;
    return axis < missing || X::shape[axis - missing] == 1 ? 0 : stride<X>(axis - missing);
}

// Walks along the axes in front, of which the larger of two sizes counts.
template <class Algorithm, Size Axis, Size Axes, class A, class B, class Y>
void each_matrix(A a, B b, Y y, Size p, Size q, Size& to) {
    using MA = Matrix<A, true>;
    using MB = Matrix<B, false>;
    using TA = Tensor<const typename A::Value, MA::rows, MA::columns>;
    using TB = Tensor<const typename B::Value, MB::rows, MB::columns>;
    using TY = Tensor<typename Y::Value, MA::rows, MB::columns>;
    if constexpr (Axis == Axes) {
        gemm<Algorithm, 'N', 'N'>(TA(a.data + p), TB(b.data + q), TY(y.data + to));
        to += TY::size;
    } else {
        for (Size i = 0; i < Y::shape[Axis]; ++i)
            each_matrix<Algorithm, Axis + 1, Axes>(a, b, y, p + i * matrix_stride<A, true>(Axis, Axes),
                                                   q + i * matrix_stride<B, false>(Axis, Axes), to);
    }
}

template <class Algorithm, class A, class B, class Y>
void matmul(A a, B b, Y y) {
    constexpr Size left = Matrix<A, true>::axes, right = Matrix<B, false>::axes;
    Size to = 0;
    each_matrix<Algorithm, 0, (left > right ? left : right)>(a, b, y, 0, 0, to);
}

}  // namespace op
