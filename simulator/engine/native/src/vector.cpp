// Vector arithmetic of the MAU (isa.md, sections 9.1 and 11.2).
#include "elements.hpp"
#include "sums.hpp"
#include "units.hpp"

namespace haribote {

// vfma, vmul, vadd, vpassa of single or half precision, one row; Output: what the result is rounded to.
template <class F, class Output>
inline void vector_row(Mau op, const typename F::U* x, typename F::U flip_x, const typename F::U* y,
                       typename F::U flip_y, const u32* z, u32 flip_z, typename Output::U* out) {
    if (op == Mau::vpassa && F::width == Output::width) {
        for (int pe = 0; pe < ROW; ++pe)
            out[pe] = typename Output::U(normalise_bits<F>(typename F::U(x[pe] ^ flip_x)));
        return;
    }
    double product[CHUNK], addend[CHUNK];
    for (int pe = 0; pe < ROW; pe += CHUNK) {
        if (y)
            products(x + pe, flip_x, y + pe, flip_y, product);
        else
            values(x + pe, flip_x, product);
        if (z) values(z + pe, flip_z, addend);
        round_chunk<Output>(product, z ? addend : nullptr, out + pe);
    }
}

template <class F, class Output>
inline void vector_of(Block& block, const Instruction& instruction, Result& result) {
    const Mau op = Mau(instruction.code);
    const int count = result_count(instruction.letter);
    const bool two = op == Mau::vfma || op == Mau::vmul, sums = op == Mau::vfma || op == Mau::vadd;
    const auto x = read_elements<F>(block, instruction.sources[0], count);
    const auto y = two ? read_elements<F>(block, instruction.sources[1], count) : Elements<typename F::U>{};
    const auto z = sums ? read_elements<Single>(block, instruction.sources[two ? 2 : 1], count) : Elements<u32>{};
    Packer<typename Output::U> packer(block, instruction, result);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int index = 0; index < count; ++index) {
            auto* row = packer.new_row(cycle, index);
            vector_row<F, Output>(op, x.rows[cycle][index], x.flip, y.rows[cycle][index], y.flip,
                                  z.rows[cycle][index], z.flip, row);
            packer.put(cycle, index, row);
        }
}

template <class Output>
inline void vector_of_doubles(Block& block, const Instruction& instruction, Result& result) {
    const Mau op = Mau(instruction.code);
    const bool two = op == Mau::vfma || op == Mau::vmul, sums = op == Mau::vfma || op == Mau::vadd;
    const auto x = read_elements<Double>(block, instruction.sources[0], 1);
    const auto y = two ? read_elements<Double>(block, instruction.sources[1], 1) : Elements<u64>{};
    const auto z = sums ? read_elements<Double>(block, instruction.sources[two ? 2 : 1], 1) : Elements<u64>{};
    Packer<typename Output::U> packer(block, instruction, result);
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        auto* row = packer.new_row(cycle, 0);
        for (int pe = 0; pe < ROW; ++pe) {
            ExactSum sum;
            const u64 factor = x.rows[cycle][0][pe] ^ x.flip;
            if (op == Mau::vpassa && Output::width == 64) {
                row[pe] = typename Output::U(normalise_bits<Double>(factor));
                continue;
            }
            if (!two)
                add_double(sum, factor);
            else if (has_product(instruction.rows, pe))
                add_product(sum, factor, y.rows[cycle][0][pe] ^ y.flip);
            if (sums) add_double(sum, z.rows[cycle][0][pe] ^ z.flip);
            row[pe] = sum.round<Output>();
        }
        packer.put(cycle, 0, row);
    }
}

Result vector(Block& block, const Instruction& instruction) {
    Result result{};
    const bool narrows = instruction.narrow;
    if (instruction.letter == Letter::d)
        narrows ? vector_of_doubles<Single>(block, instruction, result)
                : vector_of_doubles<Double>(block, instruction, result);
    else if (instruction.letter == Letter::f)
        narrows ? vector_of<Single, Half>(block, instruction, result)
                : vector_of<Single, Single>(block, instruction, result);
    else
        narrows ? vector_of<Half, Half>(block, instruction, result)
                : vector_of<Half, Single>(block, instruction, result);
    flush(block, result, instruction.flush, instruction.letter == Letter::h && !narrows);
    return result;
}

}  // namespace haribote
