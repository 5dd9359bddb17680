// Functions of floats that the ALU computes, on bit patterns (isa.md, section 10).
#pragma once

#include "formats.hpp"

namespace haribote {

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

// floor(64 / sqrt(v)) for v = i/16 (row 0) and v = i/8 (row 1), i = 16 to 31.
struct ReciprocalSqrtTable {
    static constexpr int index_bits = 4, bits = 5;  // of the mantissa: they choose the entry, and it has them
    u8 entries[2][1 << index_bits] = {};
    constexpr ReciprocalSqrtTable() {
        for (int odd = 0; odd < 2; ++odd)
            for (int low = 0; low < 1 << index_bits; ++low) {
                u8& entry = entries[odd][low];  // the largest with entry^2 * v <= 64^2
                const int v = ((1 << index_bits) + low) << odd, limit = 1 << (2 * bits + 2 + index_bits);
                while ((entry + 1) * (entry + 1) * v <= limit) ++entry;
            }
    }
};
inline constexpr ReciprocalSqrtTable RSQRT;

// 1/sqrt(|x|) from the table of isa.md, section 10. |x| = v * 4^k; the leading one of the entry adds one to the field.
template <class F>
inline typename F::U reciprocal_sqrt(typename F::U x) {
    const int exponent = exponent_field<F>(x) - F::bias;
    if (exponent == -F::bias) return F::infinity;
    if (exponent == F::exponent_ones - F::bias) return 0;
    const int odd = exponent & 1;
    const i64 entry = RSQRT.entries[odd][(x & F::fraction) >> (F::fraction_bits - RSQRT.index_bits)];
    const i64 field = F::bias - 2 - ((exponent - odd) >> 1);
    return typename F::U((field << F::fraction_bits) + (entry << (F::fraction_bits - RSQRT.bits)));
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

}  // namespace haribote
