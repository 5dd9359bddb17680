// ALU instructions (isa.md, section 10).
#pragma once

#include <algorithm>

#include "block.hpp"

namespace haribote {

inline int element_width(Letter letter) {
    switch (letter) {
        case Letter::d: case Letter::l: return 64;
        case Letter::h: case Letter::s: return 16;
        default: return 32;
    }
}

// Calls f(cycle, word) for the words of long word 0.
template <class Function>
inline void for_words(Function f) {
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < 2; ++word) f(cycle, word);
}

// The elements of long word 0 of x and y through a function, into new rows of the result.
template <class U, class Function>
inline void map_elements(Block& block, const Datum& x, const Datum& y, Result& result, Function f) {
    u32* rows[CYCLES][2];
    for_words([&](int cycle, int word) { result.datum.rows[cycle][word] = rows[cycle][word] = block.new_row(); });
    if constexpr (sizeof(U) == 8) {
        for (int cycle = 0; cycle < CYCLES; ++cycle) {
            const u32 *xh = x.rows[cycle][0], *xl = x.rows[cycle][1], *yh = y.rows[cycle][0], *yl = y.rows[cycle][1];
            u32 *high = rows[cycle][0], *low = rows[cycle][1];
            for (int pe = 0; pe < ROW; ++pe) {
                const u64 value = f(u64(xh[pe]) << 32 | xl[pe], u64(yh[pe]) << 32 | yl[pe]);
                high[pe] = u32(value >> 32);
                low[pe] = u32(value);
            }
        }
    } else {
        for_words([&](int cycle, int word) {
            const u32 *xs = x.rows[cycle][word], *ys = y.rows[cycle][word];
            u32* target = rows[cycle][word];
            for (int pe = 0; pe < ROW; ++pe) {
                if constexpr (sizeof(U) == 4)
                    target[pe] = f(xs[pe], ys[pe]);
                else
                    target[pe] = u32(u16(f(u16(xs[pe] >> 16), u16(ys[pe] >> 16)))) << 16 |
                                 u16(f(u16(xs[pe]), u16(ys[pe])));
            }
        });
    }
}

template <class U>
inline U element(const Datum& datum, int cycle, int index, int pe) {
    if constexpr (sizeof(U) == 8)
        return u64(datum.rows[cycle][0][pe]) << 32 | datum.rows[cycle][1][pe];
    else if constexpr (sizeof(U) == 4)
        return datum.rows[cycle][index][pe];
    else
        return u16(datum.rows[cycle][index / 2][pe] >> (index % 2 ? 0 : 16));
}

// Flags of (result, x, y), one per element, shared by the lanes that the element covers.
template <class U, class Function>
inline void map_flags(Block& block, const Datum& x, const Datum& y, Result& result, Function f) {
    constexpr int count = 8 / sizeof(U);
    result.flags = block.arena.take<u8>(CYCLES * LANES * ROW);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int lane = 0; lane < LANES; ++lane) {
            const int index = lane * count / LANES;
            u8* row = result.flag_row(cycle, lane);
            for (int pe = 0; pe < ROW; ++pe)
                row[pe] = f(element<U>(result.datum, cycle, index, pe), element<U>(x, cycle, index, pe),
                            element<U>(y, cycle, index, pe));
        }
}

// --- functions of floats ---------------------------------------------------------------------------------------------

// Order of max and min: sign-magnitude, every zero the same.
template <class F>
inline typename F::S zero_order(typename F::U bits) {
    return (bits & F::infinity) ? in_order<F>(bits) : typename F::S(0);
}

template <class F>
inline typename F::U floor_bits(typename F::U x) {
    const auto exponent = x & F::infinity;
    if (exponent == 0 || exponent == F::infinity) return x;
    const double value = std::floor(printed_value<F>(x));
    if (value == 0 && std::signbit(value)) return F::sign;
    return round_float64<F>(value);
}

template <class F>
inline typename F::U to_integer(typename F::U x, bool is_unsigned) {
    using U = typename F::U;
    using S = typename F::S;
    double value = std::trunc(printed_value<F>(x));
    if (is_unsigned) {
        value = std::fabs(value);
        return value < std::ldexp(1.0, F::width) ? U(u64(value)) : U(~U(0));
    }
    const double limit = std::ldexp(1.0, F::width - 1);
    if (value > -limit && value < limit) return U(S(i64(value)));
    return value > 0 ? U(F::sign - 1) : F::sign;
}

// 1/sqrt(|x|) with 7 mantissa bits: see simulator/numbers/alu.py, whose table of limits this computes alike.
struct ReciprocalSqrtTable {
    static constexpr int bits = 7;
    i64 limits[1 << bits];
    ReciprocalSqrtTable() {
        for (int index = 0; index < 1 << bits; ++index) {
            const u64 step = 2 * u64(index + (1 << bits)) + 1;
            limits[index] = i64((static_cast<unsigned __int128>(1) << (52 + 2 * bits + 4)) / (step * step));
        }
    }
    // How many limits are not below `scaled`: they fall as the index grows.
    int count(i64 scaled) const {
        return int(std::partition_point(limits, limits + (1 << bits), [&](i64 limit) { return limit >= scaled; }) -
                   limits);
    }
};
inline const ReciprocalSqrtTable RSQRT;

template <class F>
inline typename F::U reciprocal_sqrt(typename F::U x) {
    const int exponent = exponent_field<F>(x) - F::bias;
    if (exponent == -F::bias) return F::infinity;
    if (exponent == F::exponent_ones - F::bias) return 0;
    const int odd = exponent & 1;
    const i64 steps = (1 << RSQRT.bits) + RSQRT.count(i64(significand<F>(x) << (52 - F::fraction_bits) << odd));
    const i64 field = F::bias - 2 - ((exponent - odd) >> 1);
    return typename F::U((field << F::fraction_bits) + (steps << (F::fraction_bits - RSQRT.bits)));
}

// y scaled by 2^change where x is negative; zeros and infinities of y stay.
template <class F>
inline typename F::U leaky_relu(typename F::U x, typename F::U y, int change) {
    using U = typename F::U;
    const int exponent = exponent_field<F>(y);
    if (!(x & F::sign) || exponent == 0 || exponent == F::exponent_ones) return y;
    if (exponent + change <= 0) return U(y & F::sign);
    return U(U(y & U(~F::infinity)) | U(U(exponent + change) << F::fraction_bits));
}

// --- element-wise instructions ---------------------------------------------------------------------------------------

template <class U>
class Elementwise {
    using S = std::make_signed_t<U>;
    static constexpr int width = 8 * sizeof(U);
    using F = std::conditional_t<width == 64, Double, std::conditional_t<width == 32, Single, Half>>;

   public:
    Elementwise(Block& block, const Instruction& instruction, const Datum& x, const Datum& y, Result& result)
        : block_(block), instruction_(instruction), x_(x), y_(y), result_(result) {}

    void run() {
        const bool is_float = instruction_.letter == Letter::d || instruction_.letter == Letter::f ||
                              instruction_.letter == Letter::h;
        const Alu op = Alu(instruction_.code);
        if (op == Alu::passa) {
            if (instruction_.flags) map_flags<U>(block_, x_, y_, result_, zero);
        } else if (op == Alu::packbit) {
            apply([](U x, U y) { return U(U(x << 1) | U(y >> (width - 1))); }, [](U, U, U y) { return S(y) >= 0; });
        } else if (is_float) {
            floats(op);
        } else if (instruction_.is_unsigned) {
            unsigned_integers(op);
        } else {
            integers(op);
        }
    }

   private:
    static bool zero(U result, U, U) { return result == 0; }
    static bool positive(U result, U, U) { return S(result) >= 0; }
    static int amount(U y) { return int(y & (width - 1)); }
    static U rotate(U x, int left) { return U(U(x << left) | U(x >> ((width - left) & (width - 1)))); }

    template <class Function, class Flag>
    void apply(Function f, Flag flag) {
        map_elements<U>(block_, x_, y_, result_, f);
        if (instruction_.flags) map_flags<U>(block_, x_, y_, result_, flag);
    }

    void integers(Alu op) {
        switch (op) {
            case Alu::inc: return apply([](U x, U) { return U(x + 1); }, positive);
            case Alu::dec: return apply([](U x, U) { return U(x - 1); }, positive);
            case Alu::add: return apply([](U x, U y) { return U(x + y); }, positive);
            case Alu::sub: return apply([](U x, U y) { return U(x - y); }, positive);
            case Alu::lsr: return apply([](U x, U y) { return U(S(x) >> amount(y)); }, zero);
            case Alu::max:
                return apply([](U x, U y) { return S(x) > S(y) ? x : y; }, [](U, U x, U y) { return S(x) >= S(y); });
            case Alu::min:
                return apply([](U x, U y) { return S(x) < S(y) ? x : y; }, [](U, U x, U y) { return S(x) <= S(y); });
            default: return bitwise(op);
        }
    }

    // Flags of the unsigned forms: no overflow, no borrow.
    void unsigned_integers(Alu op) {
        switch (op) {
            case Alu::inc: return apply([](U x, U) { return U(x + 1); }, [](U r, U, U) { return r != 0; });
            case Alu::dec: return apply([](U x, U) { return U(x - 1); }, [](U, U x, U) { return x != 0; });
            case Alu::add: return apply([](U x, U y) { return U(x + y); }, [](U r, U x, U) { return r >= x; });
            case Alu::sub: return apply([](U x, U y) { return U(x - y); }, [](U, U x, U y) { return x >= y; });
            case Alu::lsr: return apply([](U x, U y) { return U(x >> amount(y)); }, zero);
            case Alu::max: return apply([](U x, U y) { return x > y ? x : y; }, [](U, U x, U y) { return x >= y; });
            case Alu::min: return apply([](U x, U y) { return x < y ? x : y; }, [](U, U x, U y) { return x <= y; });
            default: return bitwise(op);
        }
    }

    void bitwise(Alu op) {
        switch (op) {
            case Alu::not_: return apply([](U x, U) { return U(~x); }, zero);
            case Alu::lnot: return apply([](U x, U) { return U(x == 0); }, zero);
            case Alu::and_: return apply([](U x, U y) { return U(x & y); }, zero);
            case Alu::or_: return apply([](U x, U y) { return U(x | y); }, zero);
            case Alu::xor_: return apply([](U x, U y) { return U(x ^ y); }, zero);
            case Alu::lsl: return apply([](U x, U y) { return U(x << amount(y)); }, zero);
            case Alu::bsl: return apply([](U x, U y) { return rotate(x, amount(y)); }, zero);
            case Alu::bsr: return apply([](U x, U y) { return rotate(x, -amount(y) & (width - 1)); }, zero);
            default: __builtin_trap();  // encode.py admits no other
        }
    }

    void floats(Alu op) {
        const bool is_unsigned = instruction_.is_unsigned;
        switch (op) {
            case Alu::max:
                return apply([](U x, U y) { return zero_order<F>(x) >= zero_order<F>(y) ? x : y; },
                             [](U, U x, U y) { return zero_order<F>(x) >= zero_order<F>(y); });
            case Alu::min:
                return apply([](U x, U y) { return zero_order<F>(x) <= zero_order<F>(y) ? x : y; },
                             [](U, U x, U y) { return zero_order<F>(x) <= zero_order<F>(y); });
            case Alu::relu: case Alu::relu0: return relu(0);
            case Alu::relu1: return relu(1);
            case Alu::relu2: return relu(2);
            case Alu::relu3: return relu(3);
            case Alu::lrelud: return leaky(-1);
            case Alu::lreluo: return leaky(-3);
            case Alu::ilrelud: return leaky(1);
            case Alu::rsqrt:
                return apply([](U x, U) { return reciprocal_sqrt<F>(x); }, [](U, U x, U) { return S(x) >= 0; });
            case Alu::floor: return apply([](U x, U) { return floor_bits<F>(x); }, zero);
            case Alu::ftoi: return apply([=](U x, U) { return to_integer<F>(x, is_unsigned); }, zero);
            default: __builtin_trap();  // encode.py admits no other
        }
    }

    void relu(int bit) {
        const U tested = U(F::sign >> bit);
        apply([=](U x, U y) { return x & tested ? F::sign : y; }, [=](U, U x, U) { return (x & tested) == 0; });
    }

    void leaky(int change) {
        apply([=](U x, U y) { return leaky_relu<F>(x, y, change); }, [](U, U x, U) { return S(x) >= 0; });
    }

    Block& block_;
    const Instruction& instruction_;
    const Datum &x_, &y_;
    Result& result_;
};

// --- block floats (section 11.3) -------------------------------------------------------------------------------------

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
            u32* out = block.new_row();
            const u32* row = rows[word];
            for (int pe = 0; pe < ROW; ++pe) {
                const u32 bits = row[pe], common = commons[pe], exponent = (bits & Single::infinity) >> 23;
                const u32 shift = std::min(common - exponent + 1 + u32(drop), u32(Single::fraction_bits + 3));
                const u32 full = (bits & Single::fraction) | Single::hidden;
                const u32 rounded = (full + ((full >> shift) & 1) + ((1u << (shift - 1)) - 1)) >> shift << drop;
                const u32 mantissa = exponent == 0 || common >= u32(Single::exponent_ones) ? 0 : rounded;
                out[pe] = (bits & Single::sign) | (common == 0 ? 0 : (std::min(common, u32(Single::exponent_ones)) << 23) | mantissa);
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

inline void convert_to_blocks(Block& block, const Instruction& instruction, const Datum& x, Datum& result) {
    switch (instruction.letter) {
        case Letter::d: return block_floats<Double>(block, x, result, 0, 52, false);
        case Letter::g: return single_blocks(block, x, result, 0, 2, 18);
        case Letter::f:
            single_blocks(block, x, result, 0, 1, 23);
            return single_blocks(block, x, result, 1, 1, 23);
        default:
            for (int first : {0, 2})
                block_floats<Half>(block, x, result, first, instruction.number ? instruction.number : 9, true);
    }
}

// --- the unit --------------------------------------------------------------------------------------------------------

// zero, and imm: the literal in all 4 words (immu: in words 0 and 2).
inline void constant(Block& block, const Instruction& instruction, Result& result) {
    if (Alu(instruction.code) == Alu::zero) return;
    u32* row = block.new_row();
    std::fill(row, row + ROW, u32(instruction.sources[0].literal));
    for (auto& cycle : result.datum.rows)
        for (int word = 0; word < WORDS; word += instruction.is_unsigned ? 2 : 1) cycle[word] = row;
}

// msl, msr: long word 0 of PE p - 1 or p + 1 of the same MAB.
inline void neighbour(Block& block, const Instruction& instruction, const Datum& x, Result& result) {
    const int from = Alu(instruction.code) == Alu::msl ? PES - 1 : 1;
    for_words([&](int cycle, int word) {
        u32* row = block.new_row();
        for (int pe = 0; pe < ROW; ++pe) row[pe] = x.rows[cycle][word][pe / PES * PES + (pe + from) % PES];
        result.datum.rows[cycle][word] = row;
    });
}

inline Result alu(Block& block, const Instruction& instruction) {
    Result result{zero_datum()};
    const Alu op = Alu(instruction.code);
    if (op == Alu::zero || op == Alu::imm) {
        constant(block, instruction, result);
    } else {
        const int width = element_width(instruction.letter);
        const bool moves = op == Alu::msl || op == Alu::msr;
        const Datum x = read(block, instruction.sources[0], moves ? 64 : width);
        const bool two = instruction.sources[1].kind != Kind::none;
        const Datum y = two ? read(block, instruction.sources[1], width) : x;
        result.datum = x;
        if (moves)
            neighbour(block, instruction, x, result);
        else if (op == Alu::bfn)
            convert_to_blocks(block, instruction, x, result.datum);
        else if (width == 64)
            Elementwise<u64>(block, instruction, x, y, result).run();
        else if (width == 32)
            Elementwise<u32>(block, instruction, x, y, result).run();
        else
            Elementwise<u16>(block, instruction, x, y, result).run();
        if (instruction.copy)  // what is still a row of x may be overwritten before it is stored
            for (int cycle = 0; cycle < CYCLES; ++cycle)
                for (int word = 0; word < WORDS; ++word) {
                    const u32*& row = result.datum.rows[cycle][word];
                    if (row != x.rows[cycle][word] || row == ZEROS) continue;
                    u32* copied = block.new_row();
                    std::memcpy(copied, row, ROW * sizeof(u32));
                    row = copied;
                }
    }
    flush(block, result, instruction.flush, false);
    return result;
}

}  // namespace haribote
