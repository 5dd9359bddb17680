// What element-wise operators make of single elements, where that is more than an expression. NaN stays NaN.
// The operators themselves are rows of haribote/core/elementwise.py.
#pragma once

#include <cmath>

#include "tensor.hpp"

namespace op {

// Of integers towards 0; 0 where one is divided by 0, as a program must not stop there.
template <class P, class Q>
inline auto quotient(P p, Q q) {
    using T = std::common_type_t<P, Q>;
    if constexpr (std::is_floating_point_v<T>) return p / q;
    else if constexpr (std::is_signed_v<T>) return static_cast<T>(q == 0 ? 0 : q == -1 ? T(0) - p : p / q);
    else return static_cast<T>(q == 0 ? 0 : p / q);
}

// The remainder with the sign of the divisor, as Python has it, or with Fmod that of the dividend, as C has it; 0 where
// an integer is divided by 0.
template <bool Fmod, class P, class Q>
inline auto remainder(P p, Q q) {
    using T = std::common_type_t<P, Q>;
    T rest;
    if constexpr (std::is_floating_point_v<T>) {
        rest = std::fmod(p, q);
    } else {
        if (q == 0 || (std::is_signed_v<T> && q == static_cast<T>(-1))) return T(0);
        rest = static_cast<T>(p % q);
    }
    return !Fmod && rest != 0 && (rest < 0) != (q < 0) ? static_cast<T>(rest + q) : rest;
}

template <class T, class U>
inline T power(T p, U q) { return static_cast<T>(std::pow(p, q)); }

template <class P, class Q>
inline auto larger(P p, Q q) { return p > q || p != p ? p : q; }

template <class P, class Q>
inline auto smaller(P p, Q q) { return p < q || p != p ? p : q; }

template <class T>
inline T from_0_to_1(T p) { return p < 0 ? 0 : p > 1 ? 1 : p; }

// log(1 + e^p), which does not overflow.
template <class T>
inline T softplus(T p) { return (p > 0 ? p : T(0)) + std::log1p(std::exp(-std::abs(p))); }

// All bits leave from as many places on as there are bits.
template <char Direction, class T>
inline T shifted(T p, T places) {
    if (places >= static_cast<T>(8 * sizeof(T))) return T(0);
    return static_cast<T>(Direction == 'L' ? p << places : p >> places);
}

// Another element type, as C++ converts: to bool, what is not 0 becomes true; to an integer, towards 0. A bool becomes
// a number by a choice between two, which the compiler can make for many at once.
template <class T, class P>
inline T as(P p) {
    if constexpr (std::is_same_v<P, bool>) return p ? T(1) : T(0);
    else return static_cast<T>(p);
}

// The same values, repeated to the shape of y where x is smaller.
template <class X, class Y>
void expand(X x, Y y) { map([](auto p) { return p; }, y, x); }

}  // namespace op
