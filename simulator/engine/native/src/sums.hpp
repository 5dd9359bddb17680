// Products and sums of the MAU before and at their one rounding (isa.md, section 11.2), for vectors and matrices.
#pragma once

#include "block.hpp"

namespace haribote {

// --- single and half precision: float64 arithmetic is exact until the one rounding -----------------------------------

// Singles as they are where their exponent field is neither 0 nor all ones; false where one has all ones.
inline bool plain_singles(const u32* x, u32 flip, float* out) {
    u32 careful = 0;
    for (int i = 0; i < CHUNK; ++i) {
        const u32 exponent = x[i] & Single::infinity;
        careful |= u32(exponent == Single::infinity);
        out[i] = bit_cast<float>(exponent ? x[i] ^ flip : 0);
    }
    return !careful;
}

// The single multiplier's product: it omits the product of the low 5 bits of its factors, and adds 2^8 instead of it.
inline double truncated_product(u32 x, u32 y) {
    const double a = input_value<Single>(x), b = input_value<Single>(y);
    const int omitted = int(x & 31) * int(y & 31);
    if (omitted == 0) return a * b;
    constexpr u64 power = ~(Double::hidden - 1);  // sign and exponent of a float64
    const double scale = bit_cast<double>(bit_cast<u64>(a) & power) * bit_cast<double>(bit_cast<u64>(b) & power);
    return a * b + double(256 - omitted) * 0x1p-46 * scale;
}

// The same for a chunk. The correction is a whole number of at most 256 ulps of x times ulps of y: a single each.
inline void products(const u32* x, u32 flip_x, const u32* y, u32 flip_y, double* out) {
    constexpr u32 power = ~Single::fraction;  // sign and exponent of a single
    alignas(64) float a[CHUNK], b[CHUNK], corrections[CHUNK], ulps[CHUNK];
    const bool plain_x = plain_singles(x, flip_x, a), plain_y = plain_singles(y, flip_y, b);
    if (!plain_x || !plain_y) {
        for (int i = 0; i < CHUNK; ++i) out[i] = truncated_product(x[i] ^ flip_x, y[i] ^ flip_y);
        return;
    }
    for (int i = 0; i < CHUNK; ++i) {
        const i32 omitted = i32(x[i] & 31) * i32(y[i] & 31);
        const float ulp = bit_cast<float>(bit_cast<u32>(a[i]) & power) * 0x1p-23f;
        corrections[i] = float(omitted ? 256 - omitted : 0) * ulp;
        ulps[i] = bit_cast<float>(bit_cast<u32>(b[i]) & power) * 0x1p-23f;
    }
    for (int i = 0; i < CHUNK; ++i)
        out[i] = add_exact_product(corrections[i], ulps[i], double(a[i]) * double(b[i]));
}

inline void values(const u32* x, u32 flip, double* out) {
    alignas(64) float plain[CHUNK];
    if (!plain_singles(x, flip, plain)) {
        for (int i = 0; i < CHUNK; ++i) out[i] = input_value<Single>(x[i] ^ flip);
        return;
    }
    for (int i = 0; i < CHUNK; ++i) out[i] = double(plain[i]);
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
        if (!y) {
            if (round_singles(x, out)) return;
        } else {
            alignas(64) double totals[CHUNK];
            u64 careful = 0;
            for (int i = 0; i < CHUNK; ++i) {
                const double total = x[i] + y[i];
                const bool inexact = (total - x[i] != y[i]) | (total - y[i] != x[i]);
                totals[i] = total;
                careful |= u64((bit_cast<u64>(total) & 0x1FFFFFFF) == 0x10000000) & u64(inexact);  // see round_sum
            }
            if (round_singles(totals, out) && !careful) return;
        }
    }
    for (int i = 0; i < CHUNK; ++i) out[i] = y ? round_sum<F>(x[i], y[i]) : round_float64<F>(x[i]);
}

// --- double precision: exact sums ------------------------------------------------------------------------------------

// A sum of numbers magnitude * 2^(shift - 2148) of any size, exactly: 32-bit digits whose carries wait until the end.
class ExactSum {
   public:
    static constexpr int unit = -2148;  // two factors with the smallest exponent: 2 * (1 - 1023 - 52)

    void add(bool negative, unsigned __int128 magnitude, int shift) {
        for (int index = shift / 32; magnitude; ++index, magnitude >>= 32) {
            const u64 part = (u64(magnitude) & 0xFFFFFFFF) << (shift % 32);
            at(index) += negative ? -i64(part & 0xFFFFFFFF) : i64(part & 0xFFFFFFFF);
            at(index + 1) += negative ? -i64(part >> 32) : i64(part >> 32);
        }
    }

    template <class F>
    typename F::U round() {
        if (high_ < low_) return 0;
        at(high_ + 1);  // takes the last carry, and with it the sign
        carry();
        const bool negative = digits_[high_] < 0;
        if (negative) {
            for (int index = low_; index <= high_; ++index) digits_[index] = -digits_[index];
            carry();
        }
        int top = high_;
        while (top > low_ && digits_[top] == 0) --top;
        if (digits_[top] == 0) return 0;
        using Wide = unsigned __int128;
        const Wide leading = Wide(digits_[top]) << 64 | Wide(digit(top - 1)) << 32 | digit(top - 2);
        const int surplus = 96 - (__builtin_clzll(u64(digits_[top])) - 32) - 64;  // beyond the 64 bits kept
        bool sticky = (leading & ((Wide(1) << surplus) - 1)) != 0;
        for (int index = low_; index < top - 2; ++index) sticky |= digits_[index] != 0;
        return round_magnitude<F>(negative, u64(leading >> surplus), 32 * (top - 2) + surplus + unit, sticky);
    }

   private:
    i64& at(int index) {
        if (high_ < low_) {
            low_ = high_ = index;
            digits_[index] = 0;
        }
        while (high_ < index) digits_[++high_] = 0;
        while (low_ > index) digits_[--low_] = 0;
        return digits_[index];
    }
    u64 digit(int index) const { return index >= low_ ? u64(digits_[index]) : 0; }

    // Bring all digits but the last to 0..2^32-1.
    void carry() {
        for (int index = low_; index < high_; ++index) {
            digits_[index + 1] += digits_[index] >> 32;
            digits_[index] &= 0xFFFFFFFF;
        }
    }

    i64 digits_[144];
    int low_ = 1, high_ = 0;
};

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

}  // namespace haribote
