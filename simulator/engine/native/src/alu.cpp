// ALU instructions (isa.md, section 10).
#include "block_float.hpp"
#include "floats.hpp"
#include "units.hpp"

namespace haribote {

// The instructions that the engine knows, by the names of their rows; records.py reads them from here.
enum class Alu : i32 {
    zero, imm, passa, inc, dec, add, sub, not_, lnot, and_, or_, xor_, lsl, lsr, bsl, bsr, max, min, packbit, rsqrt,
    floor, ftoi, relu, relu0, relu1, relu2, relu3, lrelud, lreluo, ilrelud, bfn, msl, msr
};

// Calls f(cycle, word) for the words of long word 0.
template <class Function>
inline void for_words(Function f) {
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < 2; ++word) f(cycle, word);
}

// The elements of long word 0 of one cycle, row by row, and what f(x, y) makes of them. Not inlined: one copy of the
// loops is enough, for it takes the compiler its time to unroll them.
template <class U, class Function>
[[gnu::noinline]] void map_row(const u32* const* x, const u32* const* y, u32* const* out, Function f) {
    if constexpr (sizeof(U) == 8) {
        const u32 *xh = x[0], *xl = x[1], *yh = y[0], *yl = y[1];
        u32 *__restrict high = out[0], *__restrict low = out[1];
        for (int pe = 0; pe < ROW; ++pe) {
            const u64 value = f(u64(xh[pe]) << 32 | xl[pe], u64(yh[pe]) << 32 | yl[pe]);
            high[pe] = u32(value >> 32);
            low[pe] = u32(value);
        }
    } else {
#pragma GCC unroll 1
        for (int word = 0; word < 2; ++word) {
            const u32 *xs = x[word], *ys = y[word];
            u32* __restrict target = out[word];
            for (int pe = 0; pe < ROW; ++pe) {
                if constexpr (sizeof(U) == 4)
                    target[pe] = f(xs[pe], ys[pe]);
                else
                    target[pe] = u32(u16(f(u16(xs[pe] >> 16), u16(ys[pe] >> 16)))) << 16 |
                                 u16(f(u16(xs[pe]), u16(ys[pe])));
            }
        }
    }
}

// The elements of long word 0 of x and y through a function, into new rows of the result.
template <class U, class Function>
inline void map_elements(Block& block, const Datum& x, const Datum& y, Result& result, Function f) {
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        u32* rows[2] = {block.result_row(cycle, 0), block.result_row(cycle, 1)};
        map_row<U>(x.rows[cycle], y.rows[cycle], rows, f);
        for (int word = 0; word < 2; ++word) result.datum.rows[cycle][word] = rows[word];
    }
}

template <class U>
inline U element(const u32* const* words, int index, int pe) {
    if constexpr (sizeof(U) == 8)
        return u64(words[0][pe]) << 32 | words[1][pe];
    else if constexpr (sizeof(U) == 4)
        return words[index][pe];
    else
        return u16(words[index / 2][pe] >> (index % 2 ? 0 : 16));
}

// Flags of (result, x, y) of one element of one cycle.
template <class U, class Function>
[[gnu::noinline]] void flag_row(const u32* const* result, const u32* const* x, const u32* const* y, int index,
                                u8* flags, Function f) {
    u8* __restrict out = flags;
    for (int pe = 0; pe < ROW; ++pe)
        out[pe] = f(element<U>(result, index, pe), element<U>(x, index, pe), element<U>(y, index, pe));
}

// Flags of all elements, each shared by the lanes that the element covers.
template <class U, class Function>
inline void map_flags(Block& block, const Datum& x, const Datum& y, Result& result, Function f) {
    constexpr int lanes = LANES * int(sizeof(U)) / 8;
    result.flags = block.arena.take<u8>(CYCLES * LANES * ROW);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int lane = 0; lane < LANES; lane += lanes) {
            u8* row = result.flag_row(cycle, lane);
            flag_row<U>(result.datum.rows[cycle], x.rows[cycle], y.rows[cycle], lane / lanes, row, f);
            for (int other = 1; other < lanes; ++other) std::memcpy(row + other * ROW, row, ROW);
        }
}

// --- element-wise instructions ---------------------------------------------------------------------------------------

template <class U>
class Elementwise {
    using S = std::make_signed_t<U>;
    static constexpr int width = 8 * sizeof(U);
    using F = std::conditional_t<width == 64, Double, std::conditional_t<width == 32, Single, Half>>;

   public:
    Elementwise(Block& block, const Instruction& instruction, const Datum& x, const Datum& y, Result& result)
        : block_(block), instruction_(instruction), x_(x), y_(y), result_(result) {}

    void run() {
        const bool is_float = instruction_.letter == Letter::d || instruction_.letter == Letter::f ||
                              instruction_.letter == Letter::h;
        const Alu op = Alu(instruction_.code);
        if (op == Alu::passa) {
            if (instruction_.flags) map_flags<U>(block_, x_, y_, result_, zero);
        } else if (op == Alu::packbit) {
            apply([](U x, U y) { return U(U(x << 1) | U(y >> (width - 1))); }, [](U, U, U y) { return S(y) >= 0; });
        } else if (is_float) {
            floats(op);
        } else if (instruction_.is_unsigned) {
            unsigned_integers(op);
        } else {
            integers(op);
        }
    }

   private:
    static bool zero(U result, U, U) { return result == 0; }
    static bool positive(U result, U, U) { return S(result) >= 0; }
    static int amount(U y) { return int(y & (width - 1)); }
    static U rotate(U x, int left) { return U(U(x << left) | U(x >> ((width - left) & (width - 1)))); }

    template <class Function, class Flag>
    void apply(Function f, Flag flag) {
        map_elements<U>(block_, x_, y_, result_, f);
        if (instruction_.flags) map_flags<U>(block_, x_, y_, result_, flag);
    }

    void integers(Alu op) {
        switch (op) {
            case Alu::inc: return apply([](U x, U) { return U(x + 1); }, positive);
            case Alu::dec: return apply([](U x, U) { return U(x - 1); }, positive);
            case Alu::add: return apply([](U x, U y) { return U(x + y); }, positive);
            case Alu::sub: return apply([](U x, U y) { return U(x - y); }, positive);
            case Alu::lsr: return apply([](U x, U y) { return U(S(x) >> amount(y)); }, zero);
            case Alu::max:
                return apply([](U x, U y) { return S(x) > S(y) ? x : y; }, [](U, U x, U y) { return S(x) >= S(y); });
            case Alu::min:
                return apply([](U x, U y) { return S(x) < S(y) ? x : y; }, [](U, U x, U y) { return S(x) <= S(y); });
            default: return bitwise(op);
        }
    }

    // Flags of the unsigned forms: no overflow, no borrow.
    void unsigned_integers(Alu op) {
        switch (op) {
            case Alu::inc: return apply([](U x, U) { return U(x + 1); }, [](U r, U, U) { return r != 0; });
            case Alu::dec: return apply([](U x, U) { return U(x - 1); }, [](U, U x, U) { return x != 0; });
            case Alu::add: return apply([](U x, U y) { return U(x + y); }, [](U r, U x, U) { return r >= x; });
            case Alu::sub: return apply([](U x, U y) { return U(x - y); }, [](U, U x, U y) { return x >= y; });
            case Alu::lsr: return apply([](U x, U y) { return U(x >> amount(y)); }, zero);
            case Alu::max: return apply([](U x, U y) { return x > y ? x : y; }, [](U, U x, U y) { return x >= y; });
            case Alu::min: return apply([](U x, U y) { return x < y ? x : y; }, [](U, U x, U y) { return x <= y; });
            default: return bitwise(op);
        }
    }

    void bitwise(Alu op) {
        switch (op) {
            case Alu::not_: return apply([](U x, U) { return U(~x); }, zero);
            case Alu::lnot: return apply([](U x, U) { return U(x == 0); }, zero);
            case Alu::and_: return apply([](U x, U y) { return U(x & y); }, zero);
            case Alu::or_: return apply([](U x, U y) { return U(x | y); }, zero);
            case Alu::xor_: return apply([](U x, U y) { return U(x ^ y); }, zero);
            case Alu::lsl: return apply([](U x, U y) { return U(x << amount(y)); }, zero);
            case Alu::bsl: return apply([](U x, U y) { return rotate(x, amount(y)); }, zero);
            case Alu::bsr: return apply([](U x, U y) { return rotate(x, -amount(y) & (width - 1)); }, zero);
            default: __builtin_trap();  // encode.py admits no other
        }
    }

    void floats(Alu op) {
        const bool is_unsigned = instruction_.is_unsigned;
        switch (op) {
            case Alu::max:
                return apply([](U x, U y) { return zero_order<F>(x) >= zero_order<F>(y) ? x : y; },
                             [](U, U x, U y) { return zero_order<F>(x) >= zero_order<F>(y); });
            case Alu::min:
                return apply([](U x, U y) { return zero_order<F>(x) <= zero_order<F>(y) ? x : y; },
                             [](U, U x, U y) { return zero_order<F>(x) <= zero_order<F>(y); });
            case Alu::relu: case Alu::relu0: return relu(0);
            case Alu::relu1: return relu(1);
            case Alu::relu2: return relu(2);
            case Alu::relu3: return relu(3);
            case Alu::lrelud: return leaky(-1);
            case Alu::lreluo: return leaky(-3);
            case Alu::ilrelud: return leaky(1);
            case Alu::rsqrt:
                return apply([](U x, U) { return reciprocal_sqrt<F>(x); }, [](U, U x, U) { return S(x) >= 0; });
            case Alu::floor: return apply([](U x, U) { return floor_bits<F>(x); }, zero);
            case Alu::ftoi: return apply([=](U x, U) { return to_integer<F>(x, is_unsigned); }, zero);
            default: __builtin_trap();  // encode.py admits no other
        }
    }

    void relu(int bit) {
        const U tested = U(F::sign >> bit);
        apply([=](U x, U y) { return x & tested ? F::sign : y; }, [=](U, U x, U) { return (x & tested) == 0; });
    }

    void leaky(int change) {
        apply([=](U x, U y) { return leaky_relu<F>(x, y, change); }, [](U, U x, U) { return S(x) >= 0; });
    }

    Block& block_;
    const Instruction& instruction_;
    const Datum &x_, &y_;
    Result& result_;
};

// --- the unit --------------------------------------------------------------------------------------------------------

// zero, and imm: the literal in all 4 words (immu: in words 0 and 2).
inline void constant(Block& block, const Instruction& instruction, Result& result) {
    if (Alu(instruction.code) == Alu::zero) return;
    u32* row = block.new_row();
    std::fill(row, row + ROW, u32(instruction.sources[0].literal));
    for (auto& cycle : result.datum.rows)
        for (int word = 0; word < WORDS; word += instruction.is_unsigned ? 2 : 1) cycle[word] = row;
}

// msl, msr: long word 0 of PE p - 1 or p + 1 of the same MAB.
inline void neighbour(Block& block, const Instruction& instruction, const Datum& x, Result& result) {
    const int from = Alu(instruction.code) == Alu::msl ? PES - 1 : 1;
    for_words([&](int cycle, int word) {
        u32* row = block.new_row();
        for (int pe = 0; pe < ROW; ++pe) row[pe] = x.rows[cycle][word][pe / PES * PES + (pe + from) % PES];
        result.datum.rows[cycle][word] = row;
    });
}

Result alu(Block& block, const Instruction& instruction) {
    Result result{zero_datum()};
    const Alu op = Alu(instruction.code);
    if (op == Alu::zero || op == Alu::imm) {
        constant(block, instruction, result);
    } else {
        const int width = element_width(instruction.letter);
        const bool moves = op == Alu::msl || op == Alu::msr;
        const Datum read_x = read(block, instruction.sources[0], moves ? 64 : width);
        const Datum x = instruction.sources[0].narrow ? narrowed(block, read_x) : read_x;
        const bool two = instruction.sources[1].kind != Kind::none;
        const Datum y = two ? read(block, instruction.sources[1], width) : x;
        result.datum = x;
        if (moves)
            neighbour(block, instruction, x, result);
        else if (op == Alu::bfn)
            convert_to_blocks(block, instruction, x, result.datum);
        else if (width == 64)
            Elementwise<u64>(block, instruction, x, y, result).run();
        else if (width == 32)
            Elementwise<u32>(block, instruction, x, y, result).run();
        else
            Elementwise<u16>(block, instruction, x, y, result).run();
        if (instruction.copy)  // what is still a row of x may be overwritten before it is stored
            for (int cycle = 0; cycle < CYCLES; ++cycle)
                for (int word = 0; word < WORDS; ++word) {
                    const u32*& row = result.datum.rows[cycle][word];
                    if (row != x.rows[cycle][word] || row == ZEROS) continue;
                    u32* copied = block.new_row();
                    std::memcpy(copied, row, ROW * sizeof(u32));
                    row = copied;
                }
    }
    flush(block, result, instruction.flush, false);
    return result;
}

}  // namespace haribote
