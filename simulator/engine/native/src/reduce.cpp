// Reductions of arrays (isa.md, sections 6 to 8 and 11.5).
#include "lanes.hpp"
#include "reduce.hpp"

namespace haribote {

inline void sum_one_by_one(const u32* const* inputs, int count, std::size_t start, std::size_t end, u32* out) {
    for (; start < end; ++start) {
        u32 column[MAX_INPUTS];
        for (int i = 0; i < count; ++i) column[i] = inputs[i][start];
        out[start] = sum_stage<Single, Single>(column, count);
    }
}

// As sum_stage, for four sums. Adding and taking away 1.5 * 2^52 units rounds a float64 to units, ties to even; a sum of
// at most 8 such numbers is exact. Returns where a number has an exponent field of all ones: nothing is said of it then.
inline Words4 sum_four(const u32* const* inputs, int count, std::size_t start, u32* out) {
    Words4 largest = {};
    for (int i = 0; i < count; ++i) {
        const Words4 exponents = load4<Words4>(inputs[i] + start) & Single::infinity;
        largest = exponents > largest ? exponents : largest;
    }
    constexpr int shift = 52 - Single::fraction_bits, unit = shift - GUARD_BITS;
    constexpr u64 offset = (u64(1023 - Single::bias + unit) << 52) + (u64(1) << 51);
    const Doubles4 rounder = Doubles4((longs_of(largest) << shift) + offset);
    Doubles4 sums = {};
    for (int i = 0; i < count; ++i)
        sums += (doubles_of(plain(load4<Words4>(inputs[i] + start))) + rounder) - rounder;
    store4(out, round_to_singles(sums));
    return Words4(largest == Single::infinity);
}

void sum_arrays(const u32* const* inputs, int count, std::size_t length, u32* out) {
    const std::size_t whole = length / FOUR * FOUR;
    for (std::size_t start = 0; start < whole; start += CHUNK) {
        const std::size_t end = std::min(start + CHUNK, whole);
        Words4 careful = {};
        for (std::size_t i = start; i < end; i += FOUR) careful |= sum_four(inputs, count, i, out + i);
        if (any(careful)) sum_one_by_one(inputs, count, start, end, out);
    }
    sum_one_by_one(inputs, count, whole, length, out);
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
