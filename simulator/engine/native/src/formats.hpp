// Number formats and rounding, the C++ counterpart of simulator/engine/numbers (isa.md, section 11).
#pragma once

#include <cmath>
#include <cstring>

#include "records.hpp"

namespace haribote {

template <class To, class From>
inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "same width");
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

template <class Word, class SignedWord, int Exponent, int Fraction>
struct Format {
    using U = Word;
    using S = SignedWord;
    static constexpr int exponent_bits = Exponent, fraction_bits = Fraction, bias = (1 << (Exponent - 1)) - 1;
    static constexpr int width = 1 + Exponent + Fraction;
    static constexpr U sign = U(U(1) << (width - 1)), hidden = U(U(1) << Fraction), fraction = U(hidden - 1);
    static constexpr int exponent_ones = (1 << Exponent) - 1;
    static constexpr U infinity = U(U(exponent_ones) << Fraction);
};
using Half = Format<u16, std::int16_t, 6, 9>;
using Single = Format<u32, i32, 8, 23>;
using Double = Format<u64, i64, 11, 52>;

template <class F>
inline int exponent_field(typename F::U bits) {
    return int((bits & F::infinity) >> F::fraction_bits);
}

// Mantissa with hidden bit; 0 where the exponent field is 0.
template <class F>
inline u64 significand(typename F::U bits) {
    return (bits & F::infinity) ? u64((bits & F::fraction) | F::hidden) : 0;
}

// Sign-magnitude numbers as integers in the same order, +0 as 0, -0 as -1.
template <class F>
inline typename F::S in_order(typename F::U bits) {
    using S = typename F::S;
    const S value = S(bits);
    return S(value ^ (S(value >> (F::width - 1)) & S(F::sign - 1)));
}

// A MAU input of half or single precision: exponent field 0 is +0, all ones an ordinary large number.
template <class F>
inline double input_value(typename F::U bits) {
    if ((bits & F::infinity) == 0) return 0.0;
    const u64 sign = u64(bits >> (F::width - 1)) << 63;
    const u64 magnitude = u64(bits & typename F::U(F::sign - 1)) << (52 - F::fraction_bits);
    return bit_cast<double>(sign | (magnitude + (u64(1023 - F::bias) << 52)));
}

// The value a dump prints: exponent field 0 is a zero, all ones an infinity, both with their sign.
template <class F>
inline double printed_value(typename F::U bits) {
    const double sign = (bits & F::sign) ? -1.0 : 1.0;
    const auto exponent = bits & F::infinity;
    if (exponent == 0) return sign * 0.0;
    if (exponent == F::infinity) return sign * HUGE_VAL;
    if constexpr (F::width == 64)
        return bit_cast<double>(bits);
    else
        return input_value<F>(bits);
}

template <class F>
inline typename F::U normalise_bits(typename F::U bits) {
    const auto exponent = bits & F::infinity;
    if (exponent == 0) return 0;
    return exponent == F::infinity ? typename F::U(bits & (F::sign | F::infinity)) : bits;
}

// Magnitudes below this one round to an exponent field of 0.
template <class F>
constexpr double smallest() {
    return F::width == 16 ? 0x1p-30 * (1 - 0x1p-11) : 0x1p-126 * (1 - 0x1p-25);
}

// An exact number rounded to nearest even and normalised; a float64 that is already rounded where F is double.
template <class F>
inline typename F::U round_float64(double value) {
    if constexpr (F::width == 64) {
        return normalise_bits<F>(bit_cast<u64>(value));
    } else if constexpr (F::width == 32) {
        return std::fabs(value) < smallest<F>() ? 0 : bit_cast<u32>(float(value));
    } else {
        if (std::fabs(value) < smallest<F>()) return 0;
        constexpr int shift = 52 - F::fraction_bits;
        const u64 pattern = bit_cast<u64>(value), magnitude = pattern & (Double::sign - 1);
        i64 rounded = i64((magnitude + ((magnitude >> shift) & 1) + ((u64(1) << (shift - 1)) - 1)) >> shift);
        rounded -= i64(1023 - F::bias) << F::fraction_bits;
        if (rounded < 0) rounded = 0;
        if (rounded > i64(F::infinity)) rounded = F::infinity;
        return typename F::U(rounded | (pattern >> 63 ? F::sign : 0));
    }
}

// a * b + c where a * b needs no rounding: one instruction where the processor has it, with the same result.
inline double add_exact_product(double a, double b, double c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// Numbers are handled in chunks of this many: the quick way, and where one of them needs more care once more the slow
// way.
constexpr int CHUNK = 64;

// Exact numbers rounded to singles as round_float64 does. False where one of them needs more care: those that round to the
// smallest exponent may have been rounded twice.
template <int Count = CHUNK>
inline bool round_singles(const double* values, u32* out) {
    constexpr u32 smallest_bits = Single::hidden;
    u32 careful = 0;
    alignas(64) float rounded[Count];
    for (int i = 0; i < Count; ++i) rounded[i] = float(values[i]);
    for (int i = 0; i < Count; ++i) {
        const u32 bits = bit_cast<u32>(rounded[i]);
        careful |= u32((bits & ~Single::sign) == smallest_bits);
        out[i] = (bits & Single::infinity) ? bits : 0;
    }
    return !careful;
}

// x + y rounded once to half or single. Only a float64 sum on a rounding boundary needs the error of the addition.
template <class F>
inline typename F::U round_sum(double x, double y) {
    double total = x + y;
    constexpr int shift = 52 - F::fraction_bits;
    u64 pattern = bit_cast<u64>(total);
    if ((pattern & ((u64(1) << shift) - 1)) == u64(1) << (shift - 1)) {
        const double part = total - x;
        const double error = (x - (total - part)) + (y - part);
        if (error != 0) pattern += (error > 0) == (total > 0) ? 1 : u64(-1);
        total = bit_cast<double>(pattern);
    }
    return round_float64<F>(total);
}

template <class From, class To>
inline typename To::U widen(typename From::U bits) {
    using U = typename To::U;
    const U sign = U(U(bits >> (From::width - 1)) << (To::width - 1));
    if ((bits & From::infinity) == 0) return sign;
    const U magnitude = U(U(bits & typename From::U(From::sign - 1)) << (To::fraction_bits - From::fraction_bits));
    return U(sign | U(magnitude + (U(To::bias - From::bias) << To::fraction_bits)));
}

template <class From, class To>
inline typename To::U narrow(typename From::U bits) {
    if constexpr (From::width == 64)
        return round_float64<To>(printed_value<From>(bits));
    else
        return round_float64<To>(input_value<From>(bits));
}

// value / 2^amount, rounded to nearest even; value below 2^60, amount 0 to 62.
inline u64 shift_right(u64 value, int amount) {
    if (amount == 0) return value;
    return (value + ((u64(1) << (amount - 1)) - 1 + ((value >> amount) & 1))) >> amount;
}

// magnitude * 2^exponent rounded once; sticky: something smaller than the last bit follows (magnitude >= 2^62 then).
template <class F>
inline typename F::U round_magnitude(bool negative, u64 magnitude, int exponent, bool sticky = false) {
    using U = typename F::U;
    if (magnitude == 0) return 0;
    const int surplus = 64 - __builtin_clzll(magnitude) - (F::fraction_bits + 1);
    u64 rounded;
    if (surplus > 0) {
        const u64 half = u64(1) << (surplus - 1), rest = magnitude & (2 * half - 1);
        rounded = magnitude >> surplus;
        rounded += rest > half || (rest == half && (sticky || (rounded & 1)));
    } else {
        rounded = magnitude << -surplus;
    }
    int field = exponent + surplus + F::fraction_bits + F::bias;
    if (rounded >> (F::fraction_bits + 1)) {
        rounded >>= 1;
        ++field;
    }
    const U sign = negative ? F::sign : U(0);
    if (field <= 0) return 0;
    if (field >= F::exponent_ones) return U(sign | F::infinity);
    return U(sign | U(U(field) << F::fraction_bits) | U(rounded & F::fraction));
}

// Bits of an element.
inline int element_width(Letter letter) {
    switch (letter) {
        case Letter::d: case Letter::l: return 64;
        case Letter::h: case Letter::s: return 16;
        default: return 32;
    }
}

}  // namespace haribote
