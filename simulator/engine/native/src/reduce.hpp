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

// One stage of sums of singles, element by element of `count` (at most 8) arrays of equal length.
void sum_arrays(const u32* const* inputs, int count, std::size_t length, u32* out);

// Long words combined element by element.
u64 reduce_longs(Reduction op, Letter letter, const u64* longs, Stages stages);

// The same for `length` long words of each input; rows: where the inputs start.
void reduce_arrays(Reduction op, Letter letter, const u64* const* rows, Stages stages, std::size_t length, u64* out,
                   u64* temporary);

}  // namespace haribote
