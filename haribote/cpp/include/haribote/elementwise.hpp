// Operators that work element by element, with ONNX's broadcasting. NaN stays NaN.
#pragma once

#include <cmath>

#include "tensor.hpp"

namespace op {

template <class A, class B, class Y>
void add(A a, B b, Y y) { map([](auto p, auto q) { return p + q; }, y, a, b); }

template <class A, class B, class Y>
void sub(A a, B b, Y y) { map([](auto p, auto q) { return p - q; }, y, a, b); }

template <class A, class B, class Y>
void mul(A a, B b, Y y) { map([](auto p, auto q) { return p * q; }, y, a, b); }

// Of integers towards 0; 0 where one is divided by 0, as a program must not stop there.
template <class A, class B, class Y>
void div(A a, B b, Y y) {
    map([](auto p, auto q) {
        using T = decltype(p);
        if constexpr (std::is_floating_point_v<T>) return p / q;
        else if constexpr (std::is_signed_v<T>) return static_cast<T>(q == 0 ? 0 : q == -1 ? T(0) - p : p / q);
        else return static_cast<T>(q == 0 ? 0 : p / q);
    }, y, a, b);
}

template <class A, class B, class Y>
void max(A a, B b, Y y) { map([](auto p, auto q) { return p > q || p != p ? p : q; }, y, a, b); }

template <class A, class B, class Y>
void min(A a, B b, Y y) { map([](auto p, auto q) { return p < q || p != p ? p : q; }, y, a, b); }

template <class A, class B, class Y>
void greater(A a, B b, Y y) { map([](auto p, auto q) { return p > q; }, y, a, b); }

template <class A, class B, class Y>
void less(A a, B b, Y y) { map([](auto p, auto q) { return p < q; }, y, a, b); }

template <class A, class B, class Y>
void equal(A a, B b, Y y) { map([](auto p, auto q) { return p == q; }, y, a, b); }

template <class C, class A, class B, class Y>
void where(C condition, A a, B b, Y y) { map([](bool c, auto p, auto q) { return c ? p : q; }, y, condition, a, b); }

template <class X, class Y>
void neg(X x, Y y) { map([](auto p) { return -p; }, y, x); }

template <class X, class Y>
void relu(X x, Y y) { map([](auto p) { return p < 0 ? decltype(p)(0) : p; }, y, x); }

template <class X, class Y>
void exp(X x, Y y) { map([](auto p) { return std::exp(p); }, y, x); }

template <class X, class Y>
void log(X x, Y y) { map([](auto p) { return std::log(p); }, y, x); }

template <class X, class Y>
void sqrt(X x, Y y) { map([](auto p) { return std::sqrt(p); }, y, x); }

template <class X, class Y>
void tanh(X x, Y y) { map([](auto p) { return std::tanh(p); }, y, x); }

template <class X, class Y>
void sigmoid(X x, Y y) { map([](auto p) { return 1 / (1 + std::exp(-p)); }, y, x); }

// Another element type, as C++ converts: to bool, what is not 0 becomes true; to an integer, towards 0. A bool becomes
// a number by a choice between two, which the compiler can make for many at once.
template <class T, class P>
inline T as(P p) {
    if constexpr (std::is_same_v<P, bool>) return p ? T(1) : T(0);
    else return static_cast<T>(p);
}

template <class X, class Y>
void cast(X x, Y y) { map([](auto p) { return as<typename Y::Value>(p); }, y, x); }

// 1 where x > 0, else 0 (haribote.GreaterCast).
template <class X, class Y>
void greater_cast(X x, Y y) { map([](auto p) { return typename Y::Value(p > 0); }, y, x); }

// The same values, repeated to the shape of y where x is smaller.
template <class X, class Y>
void expand(X x, Y y) { map([](auto p) { return p; }, y, x); }

}  // namespace op
