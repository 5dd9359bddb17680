// Operands of the MAU as elements of one precision, and results packed into a datum (isa.md, section 9).
#pragma once

#include "block.hpp"

namespace haribote {

// --- operands --------------------------------------------------------------------------------------------------------

// Elements of one precision, a row per cycle and index (8 where `$llx` takes halves); flip: the sign bit of a negation.
template <class U>
struct Elements {
    const U* rows[CYCLES][2 * LANES];
    U flip;
};

// Element `index` of the datum, one row; singles lie in the datum itself, zeros follow it.
template <class F>
inline const typename F::U* unpack(Block& block, const Datum& datum, int cycle, int index) {
    using U = typename F::U;
    const u32* const* words = datum.rows[cycle];
    if constexpr (F::width == 32) {
        return index < WORDS ? words[index] : ZEROS;
    } else {
        U* row = block.arena.take<U>(ROW);
        for (int pe = 0; pe < ROW; ++pe) {
            if constexpr (F::width == 64)
                row[pe] = u64(words[2 * index][pe]) << 32 | words[2 * index + 1][pe];
            else
                row[pe] = U(words[index / 2][pe] >> (index % 2 ? 0 : 16));
        }
        return row;
    }
}

template <class From, class To, class Function>
inline const typename To::U* convert_row(Block& block, const typename From::U* from, Function f) {
    auto* row = block.arena.take<typename To::U>(ROW);
    for (int pe = 0; pe < ROW; ++pe) row[pe] = f(from[pe]);
    return row;
}

// `count` elements per cycle with `e` and `r` applied.
template <class F>
inline Elements<typename F::U> read_elements(Block& block, const Operand& operand, int count) {
    const Datum datum = read(block, operand);
    Elements<typename F::U> result{};
    result.flip = operand.negate ? F::sign : typename F::U(0);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int index = 0; index < count; ++index) {
            auto& row = result.rows[cycle][index];
            const auto other = [&](auto stored, auto convert) {
                using From = decltype(stored);
                return convert_row<From, F>(block, unpack<From>(block, datum, cycle, index), convert);
            };
            if constexpr (F::width == 64) {
                row = operand.widen ? other(Single{}, widen<Single, F>) : unpack<F>(block, datum, cycle, index);
            } else if constexpr (F::width == 32) {
                row = operand.widen ? other(Half{}, widen<Half, F>) : unpack<F>(block, datum, cycle, index);
            } else {
                row = operand.narrow ? other(Single{}, narrow<Single, F>) : unpack<F>(block, datum, cycle, index);
            }
        }
    return result;
}

// --- results ---------------------------------------------------------------------------------------------------------

inline int result_count(Letter letter) { return letter == Letter::d ? 1 : letter == Letter::h ? 4 : 2; }

// Takes rows of result elements and packs them from the most significant end on; makes the flags (NOT sign).
template <class U>
class Packer {
   public:
    Packer(Block& block, const Instruction& instruction, Result& result)
        : block_(block), result_(result), count_(result_count(instruction.letter)) {
        result.datum = zero_datum();
        if (instruction.flags) result.flags = block.arena.take<u8>(CYCLES * LANES * ROW);
    }

    // A row for elements, to be `put` when it is full. It may be the row of a memory that has element `index` of an
    // operand, but of no other element (placement.cpp).
    U* new_row(int cycle, int index) {
        if constexpr (sizeof(U) == 4) return block_.result_row(cycle, index);
        return block_.arena.take<U>(ROW);
    }

    void put(int cycle, int index, const U* row) {
        if constexpr (sizeof(U) == 4) result_.datum.rows[cycle][index] = row;
        if constexpr (sizeof(U) == 8) {
            u32 *high = block_.new_row(), *low = block_.new_row();
            for (int pe = 0; pe < ROW; ++pe) {
                high[pe] = u32(row[pe] >> 32);
                low[pe] = u32(row[pe]);
            }
            result_.datum.rows[cycle][2 * index] = high;
            result_.datum.rows[cycle][2 * index + 1] = low;
        }
        if constexpr (sizeof(U) == 2) {
            if (index % 2 == 0) word_ = block_.new_row();
            for (int pe = 0; pe < ROW; ++pe) word_[pe] = index % 2 ? word_[pe] | row[pe] : u32(row[pe]) << 16;
            result_.datum.rows[cycle][index / 2] = word_;
        }
        if (!result_.flags) return;
        for (int lane = index * LANES / count_; lane < (index + 1) * LANES / count_; ++lane) {
            u8* flags = result_.flag_row(cycle, lane);
            for (int pe = 0; pe < ROW; ++pe) flags[pe] = u8(1 ^ (row[pe] >> (8 * sizeof(U) - 1)));
        }
    }

   private:
    Block& block_;
    Result& result_;
    int count_;
    u32* word_ = nullptr;
};

}  // namespace haribote
