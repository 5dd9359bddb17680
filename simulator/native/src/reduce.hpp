// Reductions over L1Bs, MABs and L2Bs (isa.md, sections 6 to 8 and 11.5).
#pragma once

#include <algorithm>

#include "block.hpp"

namespace haribote {

constexpr int MAX_INPUTS = 16;
constexpr int GUARD_BITS = 3;  // zeros appended to a significand before it is shifted to the largest exponent

// One stage of a sum: every input is rounded to the largest exponent, the sum to the output precision.
template <class F, class Output>
inline typename Output::U sum_stage(const typename F::U* inputs, int count) {
    int largest = 0;
    for (int i = 0; i < count; ++i) largest = std::max(largest, exponent_field<F>(inputs[i]));
    i64 sum = 0;
    for (int i = 0; i < count; ++i) {
        const int amount = std::min(largest - exponent_field<F>(inputs[i]), 62);
        const i64 aligned = i64(shift_right(significand<F>(inputs[i]) << GUARD_BITS, amount));
        sum += (inputs[i] & F::sign) ? -aligned : aligned;
    }
    return round_magnitude<Output>(sum < 0, u64(sum < 0 ? -sum : sum),
                                   largest - (F::bias + F::fraction_bits + GUARD_BITS));
}

// One stage of sums of singles, element by element of `count` arrays of equal length: as sum_stage, but for many. The
// sum of at most 8 significands of 27 bits and its scale are exact as a float64.
inline void sum_arrays(const u32* const* inputs, int count, std::size_t length, u32* out) {
    constexpr std::size_t chunk = 64;
    for (std::size_t start = 0; start < length; start += chunk) {
        const std::size_t size = std::min(chunk, length - start);
        u32 largest[chunk] = {};
        i32 sums[chunk] = {};
        for (int input = 0; input < count; ++input)
            for (std::size_t i = 0; i < size; ++i)
                largest[i] = std::max(largest[i], (inputs[input][start + i] & Single::infinity) >> 23);
        for (int input = 0; input < count; ++input)
            for (std::size_t i = 0; i < size; ++i) {
                const u32 bits = inputs[input][start + i], exponent = (bits & Single::infinity) >> 23;
                const u32 full = exponent ? ((bits & Single::fraction) | Single::hidden) << GUARD_BITS : 0;
                const u32 amount = std::min(largest[i] - exponent, 30u), half = (1u << amount) >> 1;
                const u32 aligned = (full + (half ? half - 1 + ((full >> amount) & 1) : 0)) >> amount;
                sums[i] += (bits & Single::sign) ? -i32(aligned) : i32(aligned);
            }
        for (std::size_t i = 0; i < size; ++i) {
            const u64 scale = u64(largest[i] + 1023 - (Single::bias + Single::fraction_bits + GUARD_BITS)) << 52;
            out[start + i] = round_float64<Single>(double(sums[i]) * bit_cast<double>(scale));
        }
    }
}

// Inputs of a sum that one stage takes: first[0] at a time, then the rest.
struct Stages {
    int first, second;
};

template <class F, class Output>
inline typename Output::U reduce_floats(Reduction op, typename F::U* inputs, Stages stages) {
    const int count = stages.first * stages.second;
    if (op == Reduction::fadd) {
        if (stages.second == 1) return sum_stage<F, Output>(inputs, count);
        for (int group = 0; group < stages.second; ++group)
            inputs[group] = sum_stage<F, F>(inputs + group * stages.first, stages.first);
        return sum_stage<F, Output>(inputs, stages.second);
    }
    auto chosen = inputs[0];
    for (int i = 1; i < count; ++i) {
        const auto a = in_order<F>(inputs[i]), b = in_order<F>(chosen);
        if (op == Reduction::max ? a > b : a < b) chosen = inputs[i];
    }
    if constexpr (F::width == Output::width)
        return chosen;
    else
        return narrow<F, Output>(chosen);
}

template <class U>
inline U reduce_integers(Reduction op, const U* inputs, int count) {
    U result = op == Reduction::band || op == Reduction::and_ ? U(~U(0)) : U(0);
    if (op == Reduction::and_) result = 1;
    for (int i = 0; i < count; ++i) {
        const U value = inputs[i];
        switch (op) {
            case Reduction::iadd: result = U(result + value); break;
            case Reduction::band: result = U(result & value); break;
            case Reduction::bor: result = U(result | value); break;
            case Reduction::and_: result = U(result && value); break;
            default: result = U(result || value);
        }
    }
    return result;
}

inline bool is_float(Letter letter) { return letter == Letter::d || letter == Letter::f || letter == Letter::h; }

// What an input that takes no part contributes, in every element of a long word.
inline u64 initial_value(Reduction op, Letter letter) {
    if (op == Reduction::max || op == Reduction::band || op == Reduction::and_) return ~u64(0);
    if (op != Reduction::min) return 0;
    const int width = element_width(letter);
    return width == 64 ? ~u64(0) >> 1 : width == 32 ? 0x7FFFFFFF7FFFFFFF : 0x7FFF7FFF7FFF7FFF;
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

// Long words combined element by element.
inline u64 reduce_longs(Reduction op, Letter letter, const u64* longs, Stages stages) {
    switch (element_width(letter)) {
        case 64: return reduce_elements<Double, u64>(op, letter, longs, stages);
        case 32: return reduce_elements<Single, u32>(op, letter, longs, stages);
        default: return reduce_elements<Half, u16>(op, letter, longs, stages);
    }
}

// The same for `length` long words of each input; rows: where the inputs start.
inline void reduce_arrays(Reduction op, Letter letter, const u64* const* rows, Stages stages, std::size_t length,
                          u64* out, u64* temporary) {
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
