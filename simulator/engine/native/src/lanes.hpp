// Numbers of four PEs side by side, and their rounding: the compiler is told, for in longer loops it does not find by
// itself what can stay in registers.
#pragma once

#include "formats.hpp"

namespace haribote {

constexpr int FOUR = 4;
using Words4 = u32 __attribute__((vector_size(16)));
using Singles4 = float __attribute__((vector_size(16)));
using Longs4 = u64 __attribute__((vector_size(32)));
using Doubles4 = double __attribute__((vector_size(32)));

template <class V, class T>
inline V load4(const T* from) {
    static_assert(sizeof(V) == FOUR * sizeof(T), "four elements");
    V result;
    std::memcpy(&result, from, sizeof result);
    return result;
}

template <class V, class T>
inline void store4(T* to, V values) {
    static_assert(sizeof(V) == FOUR * sizeof(T), "four elements");
    std::memcpy(to, &values, sizeof values);
}

// True where a comparison holds for one of the four.
template <class V>
inline bool any(V found) {
    bool result = false;
    for (int i = 0; i < FOUR; ++i) result |= found[i] != 0;
    return result;
}

// One by one, which compilers make one instruction of; of __builtin_convertvector GCC 12 makes four.
inline Doubles4 doubles_of(Words4 singles) {
    const Singles4 s = Singles4(singles);
    return Doubles4{s[0], s[1], s[2], s[3]};
}
inline Longs4 longs_of(Words4 words) { return Longs4{words[0], words[1], words[2], words[3]}; }

// Those that are not zero by their exponent field, which must not be all ones.
inline Words4 plain(Words4 singles) {
    return singles & Words4((singles & Single::infinity) != 0);
}

// Exact numbers rounded to singles as round_float64 does.
inline Words4 round_to_singles(Doubles4 exact) {
    const Doubles4 magnitude = Doubles4(Longs4(exact) & (Double::sign - 1));
    const Longs4 kept = Longs4(exact) & Longs4(magnitude >= smallest<Single>());
    return Words4(__builtin_convertvector(Doubles4(kept), Singles4));
}

}  // namespace haribote
