// Matrix-vector products of the MAU on block floats (isa.md, sections 9.2 and 11.4).
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "elements.hpp"
#include "matrix.hpp"
#include "sums.hpp"
#include "units.hpp"

namespace haribote {

// The value of a block float: the mantissa field has no hidden bit.
template <class F>
inline double block_value(typename F::U bits) {
    constexpr int shift = 52 - F::fraction_bits;
    constexpr u64 kept = Double::sign | u64(F::sign - 1) << shift, offset = u64(1023 - F::bias + 1) << 52;
    const u64 value = (u64(i64(typename F::S(bits))) << shift & kept) + offset;
    return bit_cast<double>(value) - bit_cast<double>(value & ~Double::fraction);
}

// The terms of a single product that its truncation adds: ulps of the factors whose low bits are not zero, low bits.
inline u32 ulps_of(u32 bits) { return (bits & 31) ? (bits & ~Single::fraction) | 16 : 0; }
inline u32 low_of(u32 bits) { return bits & (~Single::fraction | 31); }

// 8 rows of 8 words from `offset` on, transposed.
inline void transpose(const u32* const* rows, int offset, u32 (*out)[8]) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
    using Vector = u32 __attribute__((vector_size(32)));
    Vector v[8], pairs[8];
    for (int i = 0; i < 8; ++i) std::memcpy(&v[i], rows[i] + offset, sizeof v[i]);
    for (int i = 0; i < 8; i += 2) {  // words of neighbouring rows side by side
        pairs[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)  // of four rows
        for (int k = 0; k < 2; ++k) {
            v[i + 2 * k] = __builtin_shufflevector(pairs[i + k], pairs[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            v[i + 2 * k + 1] = __builtin_shufflevector(pairs[i + k], pairs[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {  // of all
        const Vector low = __builtin_shufflevector(v[k], v[4 + k], 0, 1, 2, 3, 8, 9, 10, 11);
        const Vector high = __builtin_shufflevector(v[k], v[4 + k], 4, 5, 6, 7, 12, 13, 14, 15);
        std::memcpy(out[k], &low, sizeof low);
        std::memcpy(out[4 + k], &high, sizeof high);
    }
    return;
#endif
#endif
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) out[j][i] = rows[i][offset + j];
}

// --- g: 8 rows of 8 words, two results per PE ------------------------------------------------------------------------

inline void load_matrices(const Block& block, int which) {
    const u32* rows[Matrices::ROWS];
    for (int i = 0; i < Matrices::ROWS; ++i) rows[i] = matrix_row(block, which, Matrices::ROW_ORDER[i]);
    alignas(64) u32 bits[Matrices::COLUMNS][Matrices::ROWS];
    for (int mab = 0; mab < ROW / PES; ++mab) {
        transpose(rows, mab * MATRIX_WORDS, bits);
        double* out = block.matrices.values[which][mab][0];
        for (int i = 0; i < Matrices::COLUMNS * Matrices::ROWS; ++i) out[i] = block_value<Single>((&bits[0][0])[i]);
    }
    block.matrices.known[which] = true;
}

// Numbers side by side, as many as a register holds: the compiler is told, for it does not find by itself which values
// can stay in registers.
#if defined(__AVX512F__)
constexpr int WIDE = 8;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr int WIDE = 4;
#else
constexpr int WIDE = 2;
#endif
using Vector = double __attribute__((vector_size(WIDE * sizeof(double))));
constexpr int VECTORS = Matrices::ROWS / WIDE;  // of a column

inline Vector vector_at(const double* numbers) {
    Vector result;
    std::memcpy(&result, numbers, sizeof result);
    return result;
}

inline Vector add_exact_products(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__) && defined(__FMA__)
    return _mm256_fmadd_pd(a, b, c);
#else
    return a * b + c;  // the same, as the product is exact
#endif
}

// The products of one MAB with its four vectors, in the order of its rows. x: [cycle][word][pe] from its first PE on, a
// row having CHUNK PEs.
inline void multiply_g(const double (*matrix)[Matrices::ROWS], const double* x, double (*products)[Matrices::ROWS]) {
    Vector sum[CYCLES][VECTORS] = {};
#pragma GCC unroll 8
    for (int j = 0; j < Matrices::COLUMNS; ++j) {
        Vector column[VECTORS];
#pragma GCC unroll 4
        for (int part = 0; part < VECTORS; ++part) column[part] = vector_at(matrix[j] + part * WIDE);
#pragma GCC unroll 4
        for (int cycle = 0; cycle < CYCLES; ++cycle) {
            const Vector factor = x[(2 * cycle + j % 2) * CHUNK + j / 2] - Vector{};
#pragma GCC unroll 4
            for (int part = 0; part < VECTORS; ++part)
                sum[cycle][part] = add_exact_products(column[part], factor, sum[cycle][part]);
        }
    }
#pragma GCC unroll 4
    for (int cycle = 0; cycle < CYCLES; ++cycle)
#pragma GCC unroll 4
        for (int part = 0; part < VECTORS; ++part)
            std::memcpy(products[cycle] + part * WIDE, &sum[cycle][part], sizeof(Vector));
}

// The sums before the one rounding: [cycle][element][pe].
inline void sums_of_g(Block& block, const Instruction& instruction, double* out) {
    const int which = instruction.sources[0].index;
    if (!block.matrices.known[which]) load_matrices(block, which);
    const auto x = read_elements<Single>(block, instruction.sources[1], 2);
    alignas(64) double vectors[CYCLES * 2][CHUNK], sums[CYCLES * 2][CHUNK], products[CYCLES][Matrices::ROWS];
    for (int pe = 0; pe < ROW; pe += CHUNK) {
        for (int i = 0; i < CYCLES * 2; ++i)
            for (int k = 0; k < CHUNK; ++k) vectors[i][k] = block_value<Single>(x.rows[i / 2][i % 2][pe + k] ^ x.flip);
        for (int k = 0; k < CHUNK; k += PES) {
            multiply_g(block.matrices.values[which][(pe + k) / PES], &vectors[0][k], products);
            for (int i = 0; i < CYCLES * 2; ++i)
                std::memcpy(sums[i] + k, products[i / 2] + i % 2 * PES, PES * sizeof(double));
        }
        for (int i = 0; i < CYCLES * 2; ++i) std::memcpy(out + i * ROW + pe, sums[i], sizeof sums[i]);
    }
}

// --- f and h ---------------------------------------------------------------------------------------------------------

// Sums of the products of one MAB in the order of j, for its four vectors. matrix: transposed; x: [cycle][word][pe].
template <int Rows, int Columns>
inline void multiply(const double (*matrix)[Rows], const double* x, int mab, double (*sums)[Rows]) {
    constexpr int per_pe = Columns / PES;
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        double sum[Rows] = {};
#pragma GCC unroll 16
        for (int j = 0; j < Columns; ++j) {
            const double factor = x[(cycle * per_pe + j % per_pe) * ROW + mab * PES + j / per_pe];
            for (int i = 0; i < Rows; ++i) sum[i] = add_exact_product(matrix[j][i], factor, sum[i]);
        }
        for (int i = 0; i < Rows; ++i) sums[cycle][i] = sum[i];
    }
}

// The elements of a MAB's matrix that a product uses, transposed: first as bits, then as numbers. Single precision uses
// the even columns.
template <class F, int Rows, int Columns, class Function>
inline void load_matrix(const u32* const* rows, int mab, Function value, double (*out)[Rows]) {
    alignas(64) typename F::U bits[Columns][Rows];
    for (int i = 0; i < Rows; ++i) {
        const u32* row = rows[i] + mab * MATRIX_WORDS;
        for (int j = 0; j < Columns; ++j)
            bits[j][i] = typename F::U(F::width == 16 ? row[j / 2] >> (j % 2 ? 0 : 16) : row[2 * j]);
    }
    for (int j = 0; j < Columns; ++j)
        for (int i = 0; i < Rows; ++i) out[j][i] = value(bits[j][i]);
}

// sums[cycle][element][pe]: combined with what the products of all MABs of the block add up to.
template <class F, int Rows, int Columns, class Function, class Combine>
inline void add_products(Block& block, const Instruction& instruction, const Elements<typename F::U>& x, Function value,
                         Combine combine, double* sums) {
    constexpr int per_pe = Columns / PES, results = Rows / PES;
    const u32* rows[Rows];
    for (int i = 0; i < Rows; ++i) rows[i] = matrix_row(block, instruction.sources[0].index, i);
    double* vectors = block.arena.take<double>(CYCLES * per_pe * ROW);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < per_pe; ++word) {
            double* out = vectors + (cycle * per_pe + word) * ROW;
            const auto* row = x.rows[cycle][word];
            for (int pe = 0; pe < ROW; ++pe) out[pe] = value(typename F::U(row[pe] ^ x.flip));
        }
    alignas(64) double matrix[Columns][Rows], products[CYCLES][Rows];
    for (int mab = 0; mab < ROW / PES; ++mab) {
        load_matrix<F, Rows, Columns>(rows, mab, value, matrix);
        multiply<Rows, Columns>(matrix, vectors, mab, products);
        for (int cycle = 0; cycle < CYCLES; ++cycle)
            for (int element = 0; element < results; ++element) {
                double* target = sums + (cycle * results + element) * ROW + mab * PES;
                double terms[PES];
                for (int p = 0; p < PES; ++p) terms[p] = products[cycle][p * results + element];
                for (int p = 0; p < PES; ++p) target[p] = combine(target[p], terms[p]);
            }
    }
}

// The sums before the one rounding. What truncation adds to single products is summed by itself first.
template <class F, int Rows, int Columns>
inline void matrix_sums(Block& block, const Instruction& instruction, double* sums) {
    const auto x = read_elements<F>(block, instruction.sources[1], Columns / PES);
    const auto value = [](auto bits) { return block_value<F>(bits); };
    const auto put = [](double, double term) { return term; };
    if constexpr (F::width == 32) {
        const auto ulps = [](u32 bits) { return block_value<F>(ulps_of(bits)); };
        const auto low = [](u32 bits) { return block_value<F>(low_of(bits)); };
        add_products<F, Rows, Columns>(block, instruction, x, ulps, put, sums);
        const auto take = [](double sum, double term) { return sum - term; };
        const auto add = [](double sum, double term) { return term + sum; };
        add_products<F, Rows, Columns>(block, instruction, x, low, take, sums);
        add_products<F, Rows, Columns>(block, instruction, x, value, add, sums);
    } else {
        add_products<F, Rows, Columns>(block, instruction, x, value, put, sums);
    }
}

template <class Output>
inline void product_of(Block& block, const Instruction& instruction, Result& result) {
    const int count = result_count(instruction.letter);
    double* sums = block.arena.take<double>(CYCLES * LANES * ROW);
    if (instruction.letter == Letter::h) matrix_sums<Half, 16, 16>(block, instruction, sums);
    else if (instruction.letter == Letter::f) matrix_sums<Single, 8, 4>(block, instruction, sums);
    else sums_of_g(block, instruction, sums);
    const bool adds = Mau(instruction.code) == Mau::mfma;
    const auto c = adds ? read_elements<Single>(block, instruction.sources[2], count) : Elements<u32>{};
    Packer<typename Output::U> packer(block, instruction, result);
    alignas(64) double addend[CHUNK];
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int index = 0; index < count; ++index) {
            auto* row = packer.new_row(cycle, index);
            const double* sum = sums + (cycle * count + index) * ROW;
            for (int pe = 0; pe < ROW; pe += CHUNK) {
                if (adds) values(c.rows[cycle][index] + pe, c.flip, addend);
                round_chunk<Output>(sum + pe, adds ? addend : nullptr, row + pe);
            }
            packer.put(cycle, index, row);
        }
}

// dmmul, dmfma: rows 0, 1 (`u`) or 2, 3 (`d`) of the matrix; the other PEs get the addend.
template <class Output>
inline void product_of_doubles(Block& block, const Instruction& instruction, Result& result) {
    const auto x = read_elements<Double>(block, instruction.sources[1], 1);
    const bool adds = Mau(instruction.code) == Mau::mfma;
    const auto c = adds ? read_elements<Double>(block, instruction.sources[2], 1) : Elements<u64>{};
    Packer<typename Output::U> packer(block, instruction, result);
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        auto* row = packer.new_row(cycle, 0);
        for (int pe = 0; pe < ROW; ++pe) {
            ExactSum sum;
            const u32* words = matrix_row(block, instruction.sources[0].index, pe % PES) + pe / PES * MATRIX_WORDS;
            for (int j = 0; has_product(instruction.rows, pe) && j < PES; ++j) {
                const u64 a = u64(words[2 * j]) << 32 | words[2 * j + 1];
                const u64 b = x.rows[cycle][0][pe / PES * PES + j] ^ x.flip;
                // Without hidden bit the mantissa weighs twice as much: the exponent fields need no offset.
                sum.add((a ^ b) >> 63, truncated_mantissas(a & Double::fraction, b & Double::fraction),
                        exponent_field<Double>(a) + exponent_field<Double>(b));
            }
            if (adds) add_double(sum, c.rows[cycle][0][pe] ^ c.flip);
            row[pe] = sum.round<Output>();
        }
        packer.put(cycle, 0, row);
    }
}

Result product(Block& block, const Instruction& instruction) {
    Result result{};
    const bool narrows = instruction.narrow;
    if (instruction.letter == Letter::d)
        narrows ? product_of_doubles<Single>(block, instruction, result)
                : product_of_doubles<Double>(block, instruction, result);
    else
        narrows ? product_of<Half>(block, instruction, result) : product_of<Single>(block, instruction, result);
    flush(block, result, instruction.flush, instruction.letter == Letter::h && !narrows);
    return result;
}

}  // namespace haribote
