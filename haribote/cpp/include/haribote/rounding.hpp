// Rounding to short formats, to nearest and ties to even; the result stays a float (passes/mixed_precision.py).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "tensor.hpp"

namespace op {

inline std::uint32_t bits_of(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float float_of(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// The value without its last `Dropped` bits, as if the exponent had no limits.
template <int Dropped>
inline std::uint32_t rounded_bits(float value) {
    const std::uint32_t bits = bits_of(value), last = bits >> Dropped & 1, half = (1u << (Dropped - 1)) - 1;
    return (bits + half + last) >> Dropped << Dropped;
}

inline float round_bfloat16(float value) { return value != value ? value : float_of(rounded_bits<16>(value)); }

// Half 1-6-9 of MN-Core 2: below 2^-30 it becomes 0, from 2^32 on infinite.
inline float round_half(float value) {
    const std::uint32_t bits = rounded_bits<14>(value), magnitude = bits & 0x7fffffffu, sign = bits & 0x80000000u;
    const bool vanishes = magnitude < bits_of(9.31322574615478515625e-10f), overflows = magnitude >= bits_of(4294967296.0f);
    const float finite = vanishes ? 0.0f : float_of(bits);
    return overflows ? float_of(sign | bits_of(std::numeric_limits<float>::infinity())) : finite;
}

}  // namespace op
