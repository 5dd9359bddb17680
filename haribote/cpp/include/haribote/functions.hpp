// More operators that work element by element, with ONNX's broadcasting. NaN stays NaN.
#pragma once

#include <cmath>

#include "tensor.hpp"

namespace op {

template <class X, class Y>
void abs(X x, Y y) { map([](auto p) { return p < 0 ? decltype(p)(-p) : p == 0 ? decltype(p)(0) : p; }, y, x); }

template <class X, class Y>
void sign(X x, Y y) { map([](auto p) { return p > 0 ? decltype(p)(1) : p < 0 ? decltype(p)(-1) : p; }, y, x); }

template <class X, class Y>
void floor(X x, Y y) { map([](auto p) { return std::floor(p); }, y, x); }

template <class X, class Y>
void ceil(X x, Y y) { map([](auto p) { return std::ceil(p); }, y, x); }

// To the nearest whole number, ties to even (the rounding mode that a program starts with).
template <class X, class Y>
void round(X x, Y y) { map([](auto p) { return std::nearbyint(p); }, y, x); }

template <class X, class Y>
void reciprocal(X x, Y y) { map([](auto p) { return 1 / p; }, y, x); }

template <class X, class Y>
void sin(X x, Y y) { map([](auto p) { return std::sin(p); }, y, x); }

template <class X, class Y>
void cos(X x, Y y) { map([](auto p) { return std::cos(p); }, y, x); }

template <class X, class Y>
void tan(X x, Y y) { map([](auto p) { return std::tan(p); }, y, x); }

template <class X, class Y>
void asin(X x, Y y) { map([](auto p) { return std::asin(p); }, y, x); }

template <class X, class Y>
void acos(X x, Y y) { map([](auto p) { return std::acos(p); }, y, x); }

template <class X, class Y>
void atan(X x, Y y) { map([](auto p) { return std::atan(p); }, y, x); }

template <class X, class Y>
void sinh(X x, Y y) { map([](auto p) { return std::sinh(p); }, y, x); }

template <class X, class Y>
void cosh(X x, Y y) { map([](auto p) { return std::cosh(p); }, y, x); }

template <class X, class Y>
void asinh(X x, Y y) { map([](auto p) { return std::asinh(p); }, y, x); }

template <class X, class Y>
void acosh(X x, Y y) { map([](auto p) { return std::acosh(p); }, y, x); }

template <class X, class Y>
void atanh(X x, Y y) { map([](auto p) { return std::atanh(p); }, y, x); }

template <class X, class Y>
void erf(X x, Y y) { map([](auto p) { return std::erf(p); }, y, x); }

template <class X, class Y>
void is_nan(X x, Y y) { map([](auto p) { return p != p; }, y, x); }

template <class X, class Y>
void square(X x, Y y) { map([](auto p) { return p * p; }, y, x); }

template <class X, class Y>
void cube(X x, Y y) { map([](auto p) { return p * p * p; }, y, x); }

template <class A, class B, class Y>
void pow(A a, B b, Y y) {
    map([](auto p, auto q) { return static_cast<decltype(p)>(std::pow(p, q)); }, y, a, b);
}

// The remainder with the sign of the divisor, as Python has it; 0 where an integer is divided by 0.
template <class A, class B, class Y>
void mod(A a, B b, Y y) {
    map([](auto p, auto q) {
        using T = decltype(p);
        if constexpr (std::is_floating_point_v<T>) {
            const T rest = std::fmod(p, q);
            return rest != 0 && (rest < 0) != (q < 0) ? rest + q : rest;
        } else {
            if (q == 0 || q == static_cast<T>(-1)) return T(0);
            const T rest = p % q;
            return static_cast<T>(rest != 0 && (rest < 0) != (q < 0) ? rest + q : rest);
        }
    }, y, a, b);
}

// The remainder with the sign of the dividend, as C has it.
template <class A, class B, class Y>
void fmod(A a, B b, Y y) {
    map([](auto p, auto q) {
        using T = decltype(p);
        if constexpr (std::is_floating_point_v<T>) return std::fmod(p, q);
        else return q == 0 || q == static_cast<T>(-1) ? T(0) : static_cast<T>(p % q);
    }, y, a, b);
}

template <class A, class B, class Y>
void greater_or_equal(A a, B b, Y y) { map([](auto p, auto q) { return p >= q; }, y, a, b); }

template <class A, class B, class Y>
void less_or_equal(A a, B b, Y y) { map([](auto p, auto q) { return p <= q; }, y, a, b); }

template <class A, class B, class Y>
void logical_and(A a, B b, Y y) { map([](bool p, bool q) { return p && q; }, y, a, b); }

template <class A, class B, class Y>
void logical_or(A a, B b, Y y) { map([](bool p, bool q) { return p || q; }, y, a, b); }

template <class A, class B, class Y>
void logical_xor(A a, B b, Y y) { map([](bool p, bool q) { return p != q; }, y, a, b); }

template <class X, class Y>
void logical_not(X x, Y y) { map([](bool p) { return !p; }, y, x); }

}  // namespace op
