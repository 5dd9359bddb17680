// Reductions of arrays (isa.md, sections 6 to 8 and 11.5).
#include "reduce.hpp"

#include <type_traits>

namespace haribote {

inline void sum_one_by_one(const u32* const* inputs, int count, std::size_t start, std::size_t end, u32* out) {
    for (; start < end; ++start) {
        u32 column[MAX_INPUTS];
        for (int i = 0; i < count; ++i) column[i] = inputs[i][start];
        out[start] = sum_stage<Single, Single>(column, count);
    }
}

// The largest exponent fields of some numbers, in place; true where one of them is all ones.
template <int Count>
inline bool largest_exponents(const u32* const* inputs, int count, std::size_t start, u32* largest) {
    u32 most = 0;
    for (int i = 0; i < Count; ++i) largest[i] = 0;
    for (int input = 0; input < count; ++input) {
        const u32* bits = inputs[input] + start;
        for (int i = 0; i < Count; ++i) largest[i] = std::max(largest[i], bits[i] & Single::infinity);
    }
    for (int i = 0; i < Count; ++i) most = std::max(most, largest[i]);
    return most == Single::infinity;
}

// As sum_stage, for Count sums. Adding and taking away 1.5 * 2^52 units rounds a float64 to units, ties to even; a sum
// of at most 8 such numbers is exact. False where a result needs more care: nothing is said of them then.
template <int Count>
inline bool sum_chunk(const u32* const* inputs, int count, std::size_t start, u32* out) {
    alignas(64) u32 largest[Count];
    alignas(64) double rounder[Count], sums[Count];
    alignas(64) float values[Count];
    if (largest_exponents<Count>(inputs, count, start, largest)) return false;
    constexpr int unit = 52 - Single::fraction_bits - GUARD_BITS;
    for (int i = 0; i < Count; ++i) {
        const u64 exponent = (largest[i] >> Single::fraction_bits) + u64(1023 - Single::bias + unit);
        rounder[i] = bit_cast<double>(exponent << 52 | u64(1) << 51);
        sums[i] = 0;
    }
    for (int input = 0; input < count; ++input) {
        const u32* bits = inputs[input] + start;
        for (int i = 0; i < Count; ++i) values[i] = bit_cast<float>((bits[i] & Single::infinity) ? bits[i] : 0);
        for (int i = 0; i < Count; ++i) sums[i] += (double(values[i]) + rounder[i]) - rounder[i];
    }
    return round_singles<Count>(sums, out);
}

void sum_arrays(const u32* const* inputs, int count, std::size_t length, u32* out) {
    std::size_t start = 0;
    const auto add = [&](auto chunk) {
        for (; start + chunk <= length; start += chunk)
            if (!sum_chunk<chunk>(inputs, count, start, out + start))
                sum_one_by_one(inputs, count, start, start + chunk, out);
    };
    add(std::integral_constant<int, CHUNK>{});
    add(std::integral_constant<int, CHUNK / 4>{});
    sum_one_by_one(inputs, count, start, length, out);
}

template <class F, class U>
inline u64 reduce_elements(Reduction op, Letter letter, const u64* longs, Stages stages) {
    constexpr int width = 8 * sizeof(U);
    u64 result = 0;
    for (int shift = 64 - width; shift >= 0; shift -= width) {
        U inputs[MAX_INPUTS];
        const int count = stages.first * stages.second;
        for (int i = 0; i < count; ++i) inputs[i] = U(longs[i] >> shift);
        const U value =
            is_float(letter) ? reduce_floats<F, F>(op, inputs, stages) : reduce_integers<U>(op, inputs, count);
        result |= u64(value) << shift;
    }
    return result;
}

u64 reduce_longs(Reduction op, Letter letter, const u64* longs, Stages stages) {
    switch (element_width(letter)) {
        case 64: return reduce_elements<Double, u64>(op, letter, longs, stages);
        case 32: return reduce_elements<Single, u32>(op, letter, longs, stages);
        default: return reduce_elements<Half, u16>(op, letter, longs, stages);
    }
}

void reduce_arrays(Reduction op, Letter letter, const u64* const* rows, Stages stages, std::size_t length, u64* out,
                   u64* temporary) {
    if (op != Reduction::fadd || letter != Letter::f) {
        for (std::size_t a = 0; a < length; ++a) {
            u64 column[MAX_INPUTS];
            for (int i = 0; i < stages.first * stages.second; ++i) column[i] = rows[i][a];
            out[a] = reduce_longs(op, letter, column, stages);
        }
        return;
    }
    const u32* words[MAX_INPUTS];
    for (int i = 0; i < stages.first * stages.second; ++i) words[i] = reinterpret_cast<const u32*>(rows[i]);
    if (stages.second == 1) return sum_arrays(words, stages.first, 2 * length, reinterpret_cast<u32*>(out));
    const u32* groups[MAX_INPUTS];
    for (int group = 0; group < stages.second; ++group) {
        u32* sums = reinterpret_cast<u32*>(temporary) + 2 * length * group;
        sum_arrays(words + group * stages.first, stages.first, 2 * length, sums);
        groups[group] = sums;
    }
    sum_arrays(groups, stages.second, 2 * length, reinterpret_cast<u32*>(out));
}

}  // namespace haribote
