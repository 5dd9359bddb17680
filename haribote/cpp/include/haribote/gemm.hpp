// Matrix products: three ways to write the same three loops. Each is a template of its own, chosen by name.
#pragma once

#include "elementwise.hpp"

namespace op {

// Element (row, column) of a matrix that is taken as it is ('N') or transposed ('T'), in BLAS's letters.
template <char Form, class A>
inline auto element(A a, Size row, Size column) { return Form == 'N' ? a(row, column) : a(column, row); }

// 1. As the formula says: y(m, n) is the sum of a(m, k) b(k, n) over k. Each sum waits for the addition before it.
struct naive {
    template <char FormA, char FormB, Size K, class A, class B, class Y>
    static void product(A a, B b, Y y) {
        for (Size m = 0; m < Y::shape[0]; ++m)
            for (Size n = 0; n < Y::shape[1]; ++n) {
                typename Y::Value sum = 0;
                for (Size k = 0; k < K; ++k) sum += element<FormA>(a, m, k) * element<FormB>(b, k, n);
                y(m, n) = sum;
            }
    }
};

// 2. The same additions in another order, k m n: the innermost loop walks along a row of b and of y, so the compiler
// adds many columns at once. A transposed b has no rows in memory; row k is gathered once for all m.
struct reordered {
    template <char FormA, char FormB, Size K, class A, class B, class Y>
    static void product(A a, B b, Y y) {
        constexpr Size M = Y::shape[0], N = Y::shape[1];
        typename Y::Value row[N];
        for (Size i = 0; i < Y::size; ++i) y[i] = 0;
        for (Size k = 0; k < K; ++k) {
            for (Size n = 0; n < N; ++n) row[n] = element<FormB>(b, k, n);
            for (Size m = 0; m < M; ++m) {
                const auto factor = element<FormA>(a, m, k);
#pragma GCC ivdep
                for (Size n = 0; n < N; ++n) y(m, n) += factor * row[n];
            }
        }
    }
};

// 3. In tiles: a block of y of `rows` x `columns` stays in registers while k runs, so memory is read far less often
// than it is multiplied. The columns of b that a tile needs are taken `depth` rows at a time, which stay in the cache.
struct tiled {
#if defined(__AVX512F__)
    static constexpr Size vector_bytes = 64, rows = 8;
#elif defined(__AVX__)
    static constexpr Size vector_bytes = 32, rows = 4;
#elif defined(__aarch64__)
    static constexpr Size vector_bytes = 16, rows = 8;
#else
    static constexpr Size vector_bytes = 16, rows = 4;
#endif
    static constexpr Size depth = 256;

    // A vector register of GCC and Clang; arithmetic on it works lane by lane. It may lie at any address of a T.
    template <class T>
    struct Register {
        typedef T type __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
    };

    template <char FormA, char FormB, Size K, class A, class B, class Y>
    static void product(A a, B b, Y y) {
        using T = typename Y::Value;
        constexpr Size N = Y::shape[1], lanes = vector_bytes / sizeof(T), columns = N > lanes ? 2 * lanes : lanes;
        for (Size n = 0; n + columns <= N; n += columns) strip<FormA, FormB, K, columns, columns>(a, b, y, n);
        if constexpr (N % columns != 0) strip<FormA, FormB, K, columns, N % columns>(a, b, y, N - N % columns);
    }

    // The columns n to n + Used of y, in tiles that are `Columns` wide.
    template <char FormA, char FormB, Size K, Size Columns, Size Used, class A, class B, class Y>
    static void strip(A a, B b, Y y, Size n) {
        using T = typename Y::Value;
        alignas(64) T panel[depth * Columns];
        for (Size k = 0; k == 0 || k < K; k += depth) {  // also where K is 0: a sum of nothing is 0
            const Size count = K - k < depth ? K - k : depth;
            if constexpr (FormB == 'N' && Used == Columns) {
                blocks<FormA, Columns, Used>(a, &b(k, n), B::shape[1], y, n, k, count);
            } else {
                pack<FormB, Columns, Used>(b, panel, k, n, count);
                blocks<FormA, Columns, Used>(a, panel, Columns, y, n, k, count);
            }
        }
    }

    // Copies rows k to k + count and columns n to n + Used of b one row after another, the rest filled with zeros.
    template <char FormB, Size Columns, Size Used, class B, class T>
    static void pack(B b, T* panel, Size k, Size n, Size count) {
        for (Size i = 0; i < count; ++i)
            for (Size j = 0; j < Columns; ++j) panel[i * Columns + j] = j < Used ? element<FormB>(b, k + i, n + j) : T(0);
    }

    // All rows of y, a tile at a time; how many are left for the last tile is known to the compiler.
    template <char FormA, Size Columns, Size Used, class A, class T, class Y>
    static void blocks(A a, const T* panel, Size step, Y y, Size n, Size k, Size count) {
        constexpr Size M = Y::shape[0];
        for (Size m = 0; m + rows <= M; m += rows) tile<FormA, rows, Columns, Used>(a, panel, step, y, m, n, k, count);
        if constexpr (M % rows != 0)
            tile<FormA, M % rows, Columns, Used>(a, panel, step, y, M - M % rows, n, k, count);
    }

    // One tile: adds a(m.., k..) times the panel to y(m.., n..); the first depth (k = 0) sets y.
    template <char FormA, Size Rows, Size Columns, Size Used, class A, class T, class Y>
    static void tile(A a, const T* panel, Size step, Y y, Size m, Size n, Size k, Size count) {
        using V = typename Register<T>::type;
        constexpr Size lanes = vector_bytes / sizeof(T), vectors = Columns / lanes;
        V sum[Rows][vectors] = {};
        for (Size i = 0; i < count; ++i) {
            V b[vectors];
            for (Size v = 0; v < vectors; ++v) b[v] = *reinterpret_cast<const V*>(panel + i * step + v * lanes);
            for (Size r = 0; r < Rows; ++r)
                for (Size v = 0; v < vectors; ++v) sum[r][v] += element<FormA>(a, m + r, k + i) * b[v];
        }
        for (Size r = 0; r < Rows; ++r)
            for (Size j = 0; j < Used; ++j) {
                const T value = sum[r][j / lanes][j % lanes];
                y(m + r, n + j) = k == 0 ? value : y(m + r, n + j) + value;
            }
    }
};

// y = a b, or a and b transposed as the letters say.
template <class Algorithm, char FormA, char FormB, class A, class B, class Y>
void gemm(A a, B b, Y y) {
    constexpr Size K = A::shape[FormA == 'N' ? 1 : 0];
    static_assert(A::shape[FormA == 'N' ? 0 : 1] == Y::shape[0], "a and y differ in their rows");
    static_assert(B::shape[FormB == 'N' ? 0 : 1] == K, "the columns of a are not the rows of b");
    static_assert(B::shape[FormB == 'N' ? 1 : 0] == Y::shape[1], "b and y differ in their columns");
    Algorithm::template product<FormA, FormB, K>(a, b, y);
}

// y = alpha a b.
template <class Algorithm, char FormA, char FormB, class A, class B, class Y>
void gemm(A a, B b, Y y, typename Y::Value alpha) {
    gemm<Algorithm, FormA, FormB>(a, b, y);
    for (Size i = 0; i < Y::size; ++i) y[i] *= alpha;
}

// y = alpha a b + beta c, with c repeated to the shape of y.
template <class Algorithm, char FormA, char FormB, class A, class B, class C, class Y>
void gemm(A a, B b, C c, Y y, typename Y::Value alpha = 1, typename Y::Value beta = 1) {
    gemm<Algorithm, FormA, FormB>(a, b, y);
    map([=](auto product, auto term) { return alpha * product + beta * term; }, y, y, c);
}

}  // namespace op
