// Reductions of arrays (isa.md, sections 6 to 8 and 11.5).
#include "reduce.hpp"

namespace haribote {

// As sum_stage, but for many. The sum of at most 8 significands of 27 bits and its scale are exact as a float64.
void sum_arrays(const u32* const* inputs, int count, std::size_t length, u32* out) {
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
