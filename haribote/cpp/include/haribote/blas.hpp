// Matrix products by OpenBLAS, on one thread like everything here. Its functions have the prefix of the pip package.
#pragma once

#include <cblas.h>

#include "packed.hpp"

namespace op {

struct blas {
    template <char FormA, char FormB, Size K, class A, class B, class Y>
    static void product(A a, B b, Y y) {
        constexpr int M = Y::shape[0], N = Y::shape[1], depth = K;
        if constexpr (!std::is_same_v<typename Y::Value, float> || Y::size == 0 || K == 0) {
            packed::product<FormA, FormB, K>(a, b, y);
        } else {
            static const bool one_thread = (scipy_openblas_set_num_threads(1), true);
            static_cast<void>(one_thread);
            constexpr auto form_a = FormA == 'T' ? CblasTrans : CblasNoTrans;
            constexpr auto form_b = FormB == 'T' ? CblasTrans : CblasNoTrans;
            constexpr int a_step = A::shape[1], b_step = B::shape[1];
            scipy_cblas_sgemm(CblasRowMajor, form_a, form_b, M, N, depth, 1.0f, a.data, a_step, b.data, b_step, 0.0f,
                              y.data, N);
        }
    }
};

}  // namespace op
