// Matrix products for wide layers: the tiles of `tiled`, and both factors copied ("packed") into the order in which
// the tiles read them, so that nothing is fetched from far apart and no place of the cache is wanted twice.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "gemm.hpp"

namespace op {

// 4. y in blocks of `height` rows and `breadth` columns, and of their sums `depth` products at a time. The block of a
// stays in the second cache, the strip of b that all its rows need, `depth` x `columns`, in the first; the strips of a
// block are kept for the rows of the next.
struct packed {
    static constexpr Size vector_bytes = tiled::vector_bytes;
    static constexpr Size depth = 272, height = 512, breadth = 1024;

    template <class T>
    using Vector = typename tiled::Register<T>::type;
    template <class T>
    static constexpr Size lanes = vector_bytes / sizeof(T);

    static_assert(height % tiled::rows == 0, "a block must be of whole tiles");

    // The size of a tile in registers: 16 or 8 sums of the 32 or 16 vector registers.
    static constexpr Size rows = tiled::rows;
    template <class T, Size N>
    static constexpr Size columns = N > lanes<T> ? 2 * lanes<T> : lanes<T>;

    // Memory for so many numbers at the start of a cache line, one for each thread, kept from call to call. `Use` tells
    // those apart that are needed at the same time.
    template <class T, Size Count, int Use>
    static T* workspace() {
        struct alignas(64) Line {
            unsigned char bytes[64];
        };
        thread_local static std::vector<Line> memory(Count * sizeof(T) / sizeof(Line) + 1);
        return reinterpret_cast<T*>(memory.data());
    }

    // What is left to do with y once its sums are whole: nothing.
    struct Done {
        void operator()(Size, Size, Size) const {}
    };

    // A tile of y: its first row and column, how many columns count, and whether nothing was added to it yet.
    struct Part {
        Size row, column, used;
        bool first;
    };

    // y = a b. finish(row, column, count) is called for parts of rows of y once their sums are whole.
    template <char FormA, char FormB, Size K, class A, class B, class Y, class Finish = Done>
    static void product(A a, B b, Y y, const Finish& finish = {}) {
        using T = typename Y::Value;
        constexpr Size M = Y::shape[0], N = Y::shape[1], width = columns<T, N>;
        constexpr Size pieces = K == 0 ? 1 : (K + depth - 1) / depth, part = (K + pieces - 1) / pieces;
        constexpr Size slots = M <= height ? 1 : (std::min(N, breadth) + width - 1) / width;
        T* const strips = workspace<T, slots * part * width, 0>();
        T* const block = workspace<T, FormA == 'T' ? part * height : 0, 1>();
        for (Size left = 0; left < N; left += breadth)
            for (Size piece = 0; piece < pieces; ++piece)
                for (Size m = 0; m < M; m += height) {
                    const Size k = piece * part, count = std::min(part, K - k), tall = std::min(height, M - m);
                    const Size right = std::min(N, left + breadth);
                    const T* from = &a(m, k);
                    if constexpr (FormA == 'T') from = turned(a, block, k, m, count, tall);
                    for (Size n = left; n < right; n += width) {
                        const Part where{m, n, std::min(width, N - n), piece == 0};
                        T* const strip = strips + (slots == 1 ? 0 : (n - left) / width * part * width);
                        if (m == 0) pack<FormB, width>(b, strip, k, n, count, where.used);
                        column<FormA == 'T' ? 0 : A::shape[1], width>(from, strip, y, where, count, tall);
                    }
                    if (piece + 1 == pieces)
                        for (Size i = m; i < m + tall; ++i) finish(i, left, right - left);
                }
    }

    // Rows m to m + tall of a transposed, rows of tiles one after another; gives the block.
    template <class A, class T>
    static const T* turned(A a, T* block, Size k, Size m, Size count, Size tall) {
        for (Size r = 0; r < tall; r += rows)
            pack<'N', rows>(a, block + r * count, k, m + r, count, std::min(rows, tall - r));
        return block;
    }

    // All tiles of a strip. RowStep: from one row of a to the next, 0 for a block that `turned` made.
    template <Size RowStep, Size Width, class T, class Y>
    static void column(const T* a, const T* strip, Y y, Part part, Size count, Size tall) {
        for (Size r = 0; r < tall; r += rows, part.row += rows) {
            if constexpr (RowStep == 0)
                tiles<1, rows, Width>(a + r * count, strip, y, part, count, std::min(rows, tall - r));
            else
                tiles<RowStep, 1, Width>(a + r * RowStep, strip, y, part, count, std::min(rows, tall - r));
        }
    }

    // Copies rows k to k + count and columns n to n + used of b ('T': of b transposed) one row after another, each
    // `Width` long; the rest is filled with zeros.
    template <char Form, Size Width, class B, class T>
    static void pack(B b, T* panel, Size k, Size n, Size count, Size used) {
        Size done = 0;
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
        if constexpr (Form == 'T' && Width % lanes<T> == 0)
            if (used == Width)
                for (; done + lanes<T> <= count; done += lanes<T>)
                    for (Size j = 0; j < Width; j += lanes<T>)
                        turn(&b(n + j, k + done), B::shape[1], panel + done * Width + j, Width);
#endif
#endif
        if (used == Width)
            for (Size i = done; i < count; ++i)
                for (Size j = 0; j < Width; ++j) panel[i * Width + j] = element<Form>(b, k + i, n + j);
        else
            for (Size i = done; i < count; ++i)
                for (Size j = 0; j < Width; ++j) panel[i * Width + j] = j < used ? element<Form>(b, k + i, n + j) : T(0);
    }

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
    // Transposes a square of `lanes` rows in registers: each round lays the first half of the rows between those of
    // the second, element by element, as one riffles cards; after log2(lanes) rounds rows are columns.
    template <class T>
    static void turn(const T* from, Size from_step, T* to, Size to_step) {
        constexpr Size count = lanes<T>;
        Vector<T> row[count], next[count];
        for (Size i = 0; i < count; ++i) row[i] = *reinterpret_cast<const Vector<T>*>(from + i * from_step);
        for (Size round = 1; round < count; round *= 2) {
            for (Size i = 0; i < count / 2; ++i) {
                next[2 * i] = riffle<0>(row[i], row[i + count / 2], std::make_index_sequence<count>{});
                next[2 * i + 1] = riffle<count / 2>(row[i], row[i + count / 2], std::make_index_sequence<count>{});
            }
            for (Size i = 0; i < count; ++i) row[i] = next[i];
        }
        for (Size i = 0; i < count; ++i) *reinterpret_cast<Vector<T>*>(to + i * to_step) = row[i];
    }

    template <Size First, class V, Size... I>
    static V riffle(V a, V b, std::index_sequence<I...>) {
        return __builtin_shufflevector(a, b, (First + I / 2 + (I % 2 ? sizeof...(I) : 0))...);
    }
#endif
#endif

    // A tile of `rows` rows, or the last one, with those that are left.
    template <Size RowStep, Size DepthStep, Size Width, class T, class Y>
    static void tiles(const T* a, const T* strip, Y y, Part part, Size count, Size tall) {
        constexpr Size left = Y::shape[0] % rows;
        if (tall == rows) return tile<RowStep, DepthStep, Width, rows>(a, strip, y, part, count);
        if constexpr (left != 0) tile<RowStep, DepthStep, Width, left>(a, strip, y, part, count);
    }

    template <Size RowStep, Size DepthStep, Size Width, Size Rows, class T, class Y>
    static void tile(const T* a, const T* strip, Y y, Part part, Size count) {
        using V = Vector<T>;
        constexpr Size vectors = Width / lanes<T>;
        for (Size r = 0; r < Rows; ++r)  // y is fetched while the sums are made
            for (Size v = 0; v < vectors; ++v) __builtin_prefetch(&y(part.row + r, part.column) + v * lanes<T>, 1);
        V sum[Rows][vectors] = {};
        for (Size i = 0; i < count; ++i) {
            V b[vectors];
            for (Size v = 0; v < vectors; ++v) b[v] = *reinterpret_cast<const V*>(strip + i * Width + v * lanes<T>);
            for (Size r = 0; r < Rows; ++r)
                for (Size v = 0; v < vectors; ++v) sum[r][v] += a[r * RowStep + i * DepthStep] * b[v];
        }
        for (Size r = 0; r < Rows; ++r) {
            T* const to = &y(part.row + r, part.column);
            if (part.used == Width)
                for (Size v = 0; v < vectors; ++v) {
                    V& place = *reinterpret_cast<V*>(to + v * lanes<T>);
                    place = part.first ? sum[r][v] : place + sum[r][v];
                }
            else
                for (Size j = 0; j < part.used; ++j) {
                    const T value = sum[r][j / lanes<T>][j % lanes<T>];
                    to[j] = part.first ? value : to[j] + value;
                }
        }
    }
};

// y = f(a b, x...), element by element: f is applied to each tile while it is in the cache.
template <char FormA, char FormB, class F, class A, class B, class Y, class... X>
void packed_map(const F& f, A a, B b, Y y, X... x) {
    constexpr Size K = A::shape[FormA == 'N' ? 1 : 0];
    static_assert((fits<X, Y>() && ...), "an input does not broadcast to the shape of the output");
    packed::product<FormA, FormB, K>(a, b, y, [&](Size row, Size column, Size count) {
        typename Y::Value* const to = &y(row, column);
        const auto apply = [&](auto*... from) {
#pragma GCC ivdep
            for (Size j = 0; j < count; ++j) to[j] = f(to[j], from[j * repeated_stride<X, Y>(1)]...);
        };
        apply(&x[row * repeated_stride<X, Y>(0) + column * repeated_stride<X, Y>(1)]...);
    });
}

}  // namespace op
