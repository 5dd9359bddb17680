// Conversion to block floats: numbers that share one exponent and have no hidden bit (isa.md, section 11.3).
#pragma once

#include "block.hpp"

namespace haribote {

// What one element becomes, given the largest exponent field of its block and whether rounding would carry out.
template <class F>
inline typename F::U block_float(typename F::U bits, int largest, bool carries, int raised, int drop) {
    using U = typename F::U;
    const U sign = U(bits & F::sign);
    const int common = largest + raised + carries, exponent = exponent_field<F>(bits);
    if (largest == 0) return sign;
    if (common >= F::exponent_ones) return U(sign | F::infinity);
    const int shift = std::min(common - exponent + 1 + drop, F::fraction_bits + 3);
    const u64 full = u64((bits & F::fraction) | F::hidden);
    const u64 mantissa = (full + ((full >> shift) & 1) + ((u64(1) << (shift - 1)) - 1)) >> shift << drop;
    return U(sign | U(U(common) << F::fraction_bits) | U(exponent == 0 ? 0 : mantissa));
}

// f and g: the words first to first + words - 1 of the 4 PEs of each MAB are one block. kept: mantissa bits.
//
// The largest exponent with its leading mantissa bits says all: rounding carries out where those bits are all ones.
inline void single_blocks(Block& block, const Datum& x, Datum& result, int first, int words, int kept) {
    const int drop = Single::fraction_bits - kept;
    const u32 ones = (1u << kept) - 1;
    u32 keys[ROW], commons[ROW];
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        const u32* const* rows = x.rows[cycle] + first;
        for (int pe = 0; pe < ROW; ++pe) keys[pe] = (rows[0][pe] & ~Single::sign) >> drop;
        for (int word = 1; word < words; ++word)
            for (int pe = 0; pe < ROW; ++pe) keys[pe] = std::max(keys[pe], (rows[word][pe] & ~Single::sign) >> drop);
        for (int pe = 0; pe < ROW; pe += PES) {
            const u32 key = std::max(std::max(keys[pe], keys[pe + 1]), std::max(keys[pe + 2], keys[pe + 3]));
            const u32 common = key >> kept ? (key >> kept) + ((key & ones) == ones) : 0;
            for (int p = 0; p < PES; ++p) commons[pe + p] = common;
        }
        for (int word = 0; word < words; ++word) {
            u32* out = block.result_row(cycle, first + word);
            const u32* row = rows[word];
            for (int pe = 0; pe < ROW; ++pe) {
                const u32 bits = row[pe], common = commons[pe], exponent = (bits & Single::infinity) >> 23;
                const u32 shift = std::min(common - exponent + 1 + u32(drop), u32(Single::fraction_bits + 3));
                const u32 full = (bits & Single::fraction) | Single::hidden;
                const u32 rounded = (full + ((full >> shift) & 1) + ((1u << (shift - 1)) - 1)) >> shift << drop;
                const u32 mantissa = exponent == 0 || common >= u32(Single::exponent_ones) ? 0 : rounded;
                const u32 field = std::min(common, u32(Single::exponent_ones));  // a carry out of it is infinity
                out[pe] = (bits & Single::sign) | (field == 0 ? 0 : field << 23 | mantissa);
            }
            result.rows[cycle][first + word] = out;
        }
    }
}

// d and h: the elements of two words of the 4 PEs of each MAB are one block. raise: fewer bits raise the exponent.
template <class F>
inline void block_floats(Block& block, const Datum& x, Datum& result, int first, int kept, bool raise) {
    using U = typename F::U;
    constexpr int count = 64 / F::width * PES, per_pe = 64 / F::width;
    const int cut = F::fraction_bits - kept, raised = raise ? cut : 0, drop = raise ? 0 : cut;
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        const u32 *xs = x.rows[cycle][first], *ys = x.rows[cycle][first + 1];
        u32 *high = block.new_row(), *low = block.new_row();
        for (int mab = 0; mab < ROW; mab += PES) {
            U bits[count];
            int largest = 0;
            bool carries = false;
            for (int i = 0; i < count; ++i) {
                const int pe = mab + i / per_pe;
                const u64 both = u64(xs[pe]) << 32 | ys[pe];
                bits[i] = U(both >> (64 - F::width * (i % per_pe + 1)));
                largest = std::max(largest, exponent_field<F>(bits[i]));
            }
            for (int i = 0; i < count; ++i)
                carries |= exponent_field<F>(bits[i]) == largest &&
                           U((bits[i] & F::fraction) >> cut) == U((U(1) << kept) - 1);
            u64 packed[PES] = {};
            for (int i = 0; i < count; ++i)
                packed[i / per_pe] |= u64(block_float<F>(bits[i], largest, carries, raised, drop))
                                      << (64 - F::width * (i % per_pe + 1));
            for (int p = 0; p < PES; ++p) {
                high[mab + p] = u32(packed[p] >> 32);
                low[mab + p] = u32(packed[p]);
            }
        }
        result.rows[cycle][first] = high;
        result.rows[cycle][first + 1] = low;
    }
}

// `r` at hbfn: the four singles of both long words become the four halves of long word 0.
inline Datum narrowed(Block& block, const Datum& x) {
    Datum result = zero_datum();
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < 2; ++word) {
            const u32 *high = x.rows[cycle][2 * word], *low = x.rows[cycle][2 * word + 1];
            u32* row = block.new_row();
            for (int pe = 0; pe < ROW; ++pe)
                row[pe] = u32(narrow<Single, Half>(high[pe])) << 16 | narrow<Single, Half>(low[pe]);
            result.rows[cycle][word] = row;
        }
    return result;
}

inline void convert_to_blocks(Block& block, const Instruction& instruction, const Datum& x, Datum& result) {
    switch (instruction.letter) {
        case Letter::d: return block_floats<Double>(block, x, result, 0, 52, false);
        case Letter::g: return single_blocks(block, x, result, 0, 2, 18);
        case Letter::f:
            single_blocks(block, x, result, 0, 1, 23);
            return single_blocks(block, x, result, 1, 1, 23);
        default:
            for (int first : {0, 2})
                block_floats<Half>(block, x, result, first, instruction.kept ? instruction.kept : 9, true);
    }
}

}  // namespace haribote
