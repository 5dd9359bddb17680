// Functions of floats that the ALU computes, on bit patterns (isa.md, section 10).
#pragma once

#include <algorithm>

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

}  // namespace haribote
