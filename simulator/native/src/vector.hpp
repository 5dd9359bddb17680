// Vector arithmetic of the MAU (isa.md, sections 9.1 and 11.2).
#pragma once

#include "elements.hpp"

namespace haribote {

// --- single and half precision: float64 arithmetic is exact until the one rounding -----------------------------------

// A chunk is computed the quick way and, where one of its elements needs more care, once more the slow way.
constexpr int CHUNK = 64;

inline bool all_ones(u32 bits) { return (bits & Single::infinity) == Single::infinity; }

inline double quick_value(u32 bits) { return double(bit_cast<float>((bits & Single::infinity) ? bits : 0)); }

// The single multiplier's product: it omits the product of the low 5 bits of its factors, and adds 2^8 instead of it.
inline double truncated_product(u32 x, u32 y) {
    const double a = input_value<Single>(x), b = input_value<Single>(y);
    const int omitted = int(x & 31) * int(y & 31);
    if (omitted == 0) return a * b;
    constexpr u64 power = ~(Double::hidden - 1);  // sign and exponent of a float64
    const double scale = bit_cast<double>(bit_cast<u64>(a) & power) * bit_cast<double>(bit_cast<u64>(b) & power);
    return a * b + double(256 - omitted) * 0x1p-46 * scale;
}

inline void products(const u32* x, u32 flip_x, const u32* y, u32 flip_y, double* out) {
    constexpr u64 power = ~(Double::hidden - 1);
    u32 careful = 0;
    for (int i = 0; i < CHUNK; ++i) {
        const u32 xs = x[i] ^ flip_x, ys = y[i] ^ flip_y;
        careful |= u32(all_ones(xs)) | u32(all_ones(ys));
        const double a = quick_value(xs), b = quick_value(ys);
        const int omitted = int(xs & 31) * int(ys & 31);
        const double scale = bit_cast<double>(bit_cast<u64>(a) & power) * bit_cast<double>(bit_cast<u64>(b) & power);
        out[i] = a * b + double(omitted ? 256 - omitted : 0) * (0x1p-46 * scale);
    }
    if (careful)
        for (int i = 0; i < CHUNK; ++i) out[i] = truncated_product(x[i] ^ flip_x, y[i] ^ flip_y);
}

inline void values(const u32* x, u32 flip, double* out) {
    u32 careful = 0;
    for (int i = 0; i < CHUNK; ++i) {
        careful |= u32(all_ones(x[i]));
        out[i] = quick_value(x[i] ^ flip);
    }
    if (careful)
        for (int i = 0; i < CHUNK; ++i) out[i] = input_value<Single>(x[i] ^ flip);
}

inline void values(const u16* x, u16 flip, double* out) {
    for (int i = 0; i < CHUNK; ++i) out[i] = input_value<Half>(u16(x[i] ^ flip));
}

inline void products(const u16* x, u16 flip_x, const u16* y, u16 flip_y, double* out) {
    for (int i = 0; i < CHUNK; ++i)
        out[i] = input_value<Half>(u16(x[i] ^ flip_x)) * input_value<Half>(u16(y[i] ^ flip_y));
}

// x + y rounded once; y null: x rounded.
template <class F>
inline void round_chunk(const double* x, const double* y, typename F::U* out) {
    if constexpr (F::width == 32) {
        u32 careful = 0;
        for (int i = 0; i < CHUNK; ++i) {
            const double total = y ? x[i] + y[i] : x[i];
            if (y) careful |= u32((bit_cast<u64>(total) & 0x1FFFFFFF) == 0x10000000);
            const u32 bits = bit_cast<u32>(float(total));
            out[i] = std::fabs(total) < smallest<F>() ? 0 : bits;
        }
        if (!careful) return;
    }
    for (int i = 0; i < CHUNK; ++i) out[i] = y ? round_sum<F>(x[i], y[i]) : round_float64<F>(x[i]);
}

// vfma, vmul, vadd, vpassa of single or half precision, one row; Output: what the result is rounded to.
template <class F, class Output>
inline void vector_row(Mau op, const typename F::U* x, typename F::U flip_x, const typename F::U* y,
                       typename F::U flip_y, const u32* z, u32 flip_z, typename Output::U* out) {
    if (op == Mau::vpassa && F::width == Output::width) {
        for (int pe = 0; pe < ROW; ++pe)
            out[pe] = typename Output::U(normalise_bits<F>(typename F::U(x[pe] ^ flip_x)));
        return;
    }
    double product[CHUNK], addend[CHUNK];
    for (int pe = 0; pe < ROW; pe += CHUNK) {
        if (y)
            products(x + pe, flip_x, y + pe, flip_y, product);
        else
            values(x + pe, flip_x, product);
        if (z) values(z + pe, flip_z, addend);
        round_chunk<Output>(product, z ? addend : nullptr, out + pe);
    }
}

template <class F, class Output>
inline void vector_of(Block& block, const Instruction& instruction, Result& result) {
    const Mau op = Mau(instruction.code);
    const int count = result_count(instruction.letter);
    const bool two = op == Mau::vfma || op == Mau::vmul, sums = op == Mau::vfma || op == Mau::vadd;
    const auto x = read_elements<F>(block, instruction.sources[0], count);
    const auto y = two ? read_elements<F>(block, instruction.sources[1], count) : Elements<typename F::U>{};
    const auto z = sums ? read_elements<Single>(block, instruction.sources[two ? 2 : 1], count) : Elements<u32>{};
    Packer<typename Output::U> packer(block, instruction, result);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int index = 0; index < count; ++index) {
            auto* row = packer.new_row();
            vector_row<F, Output>(op, x.rows[cycle][index], x.flip, y.rows[cycle][index], y.flip,
                                  z.rows[cycle][index], z.flip, row);
            packer.put(cycle, index, row);
        }
}

// --- double precision: exact sums ------------------------------------------------------------------------------------

// The double multiplier's product of two mantissas: it omits the product of the low 16 bits, and adds 2^30 instead.
inline unsigned __int128 truncated_mantissas(u64 a, u64 b) {
    const u64 omitted = (a & 0xFFFF) * (b & 0xFFFF);
    return static_cast<unsigned __int128>(a) * b - omitted + (omitted ? u64(1) << 30 : 0);
}

inline void add_double(ExactSum& sum, u64 bits) {
    if (bits & Double::infinity)
        sum.add(bits >> 63, significand<Double>(bits), exponent_field<Double>(bits) - (1023 + 52) - ExactSum::unit);
}

inline void add_product(ExactSum& sum, u64 x, u64 y) {
    if ((x & Double::infinity) && (y & Double::infinity))
        sum.add((x ^ y) >> 63, truncated_mantissas(significand<Double>(x), significand<Double>(y)),
                exponent_field<Double>(x) + exponent_field<Double>(y) - 2);
}

// Double products exist in PE 0, 1 (`u`) or 2, 3 (`d`) only; the other PEs get the addend.
inline bool has_product(int rows, int pe) { return (pe % PES < 2) == (rows == 1); }

template <class Output>
inline void vector_of_doubles(Block& block, const Instruction& instruction, Result& result) {
    const Mau op = Mau(instruction.code);
    const bool two = op == Mau::vfma || op == Mau::vmul, sums = op == Mau::vfma || op == Mau::vadd;
    const auto x = read_elements<Double>(block, instruction.sources[0], 1);
    const auto y = two ? read_elements<Double>(block, instruction.sources[1], 1) : Elements<u64>{};
    const auto z = sums ? read_elements<Double>(block, instruction.sources[two ? 2 : 1], 1) : Elements<u64>{};
    Packer<typename Output::U> packer(block, instruction, result);
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        auto* row = packer.new_row();
        for (int pe = 0; pe < ROW; ++pe) {
            ExactSum sum;
            const u64 factor = x.rows[cycle][0][pe] ^ x.flip;
            if (op == Mau::vpassa && Output::width == 64) {
                row[pe] = typename Output::U(normalise_bits<Double>(factor));
                continue;
            }
            if (!two)
                add_double(sum, factor);
            else if (has_product(instruction.rows, pe))
                add_product(sum, factor, y.rows[cycle][0][pe] ^ y.flip);
            if (sums) add_double(sum, z.rows[cycle][0][pe] ^ z.flip);
            row[pe] = sum.round<Output>();
        }
        packer.put(cycle, 0, row);
    }
}

inline Result vector(Block& block, const Instruction& instruction) {
    Result result{};
    const bool narrows = instruction.narrow;
    if (instruction.letter == Letter::d)
        narrows ? vector_of_doubles<Single>(block, instruction, result)
                : vector_of_doubles<Double>(block, instruction, result);
    else if (instruction.letter == Letter::f)
        narrows ? vector_of<Single, Half>(block, instruction, result)
                : vector_of<Single, Single>(block, instruction, result);
    else
        narrows ? vector_of<Half, Half>(block, instruction, result)
                : vector_of<Half, Single>(block, instruction, result);
    flush(block, result, instruction.flush, instruction.letter == Letter::h && !narrows);
    return result;
}

}  // namespace haribote
