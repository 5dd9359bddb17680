// MAU instructions: vector arithmetic, matrix registers, matrix-vector products (isa.md, sections 9 and 11.2 to 11.4).
#pragma once

#include "alu.hpp"

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
            if constexpr (F::width == 64) {
                row = operand.widen ? convert_row<Single, F>(block, unpack<Single>(block, datum, cycle, index), widen<Single, F>)
                                    : unpack<F>(block, datum, cycle, index);
            } else if constexpr (F::width == 32) {
                row = operand.widen ? convert_row<Half, F>(block, unpack<Half>(block, datum, cycle, index), widen<Half, F>)
                                    : unpack<F>(block, datum, cycle, index);
            } else {
                row = operand.narrow ? convert_row<Single, F>(block, unpack<Single>(block, datum, cycle, index), narrow<Single, F>)
                                     : unpack<F>(block, datum, cycle, index);
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

    U* new_row() { return block_.arena.take<U>(ROW); }

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

// --- single and half precision: float64 arithmetic is exact until the one rounding ------------------------------------

// A chunk is computed the quick way and, where one of its elements needs more care, once more the slow way.
constexpr int CHUNK = 64;

inline bool all_ones(u32 bits) { return (bits & Single::infinity) == Single::infinity; }

inline double quick_value(u32 bits) { return double(bit_cast<float>((bits & Single::infinity) ? bits : 0)); }

// The single multiplier's product: it omits the product of the low 5 bits of its factors, and adds 2^8 instead of it.
inline double truncated_product(u32 x, u32 y) {
    const double a = input_value<Single>(x), b = input_value<Single>(y);
    const int omitted = int(x & 31) * int(y & 31);
    if (omitted == 0) return a * b;
    constexpr u64 power = ~(Double::hidden - 1);  // sign and exponent of a float64
    const double scale = bit_cast<double>(bit_cast<u64>(a) & power) * bit_cast<double>(bit_cast<u64>(b) & power);
    return a * b + double(256 - omitted) * 0x1p-46 * scale;
}

inline void products(const u32* x, u32 flip_x, const u32* y, u32 flip_y, double* out) {
    constexpr u64 power = ~(Double::hidden - 1);
    u32 careful = 0;
    for (int i = 0; i < CHUNK; ++i) {
        const u32 xs = x[i] ^ flip_x, ys = y[i] ^ flip_y;
        careful |= u32(all_ones(xs)) | u32(all_ones(ys));
        const double a = quick_value(xs), b = quick_value(ys);
        const int omitted = int(xs & 31) * int(ys & 31);
        const double scale = bit_cast<double>(bit_cast<u64>(a) & power) * bit_cast<double>(bit_cast<u64>(b) & power);
        out[i] = a * b + double(omitted ? 256 - omitted : 0) * (0x1p-46 * scale);
    }
    if (careful)
        for (int i = 0; i < CHUNK; ++i) out[i] = truncated_product(x[i] ^ flip_x, y[i] ^ flip_y);
}

inline void values(const u32* x, u32 flip, double* out) {
    u32 careful = 0;
    for (int i = 0; i < CHUNK; ++i) {
        careful |= u32(all_ones(x[i]));
        out[i] = quick_value(x[i] ^ flip);
    }
    if (careful)
        for (int i = 0; i < CHUNK; ++i) out[i] = input_value<Single>(x[i] ^ flip);
}

inline void values(const u16* x, u16 flip, double* out) {
    for (int i = 0; i < CHUNK; ++i) out[i] = input_value<Half>(u16(x[i] ^ flip));
}

inline void products(const u16* x, u16 flip_x, const u16* y, u16 flip_y, double* out) {
    for (int i = 0; i < CHUNK; ++i)
        out[i] = input_value<Half>(u16(x[i] ^ flip_x)) * input_value<Half>(u16(y[i] ^ flip_y));
}

// x + y rounded once; y null: x rounded.
template <class F>
inline void round_chunk(const double* x, const double* y, typename F::U* out) {
    if constexpr (F::width == 32) {
        u32 careful = 0;
        for (int i = 0; i < CHUNK; ++i) {
            const double total = y ? x[i] + y[i] : x[i];
            if (y) careful |= u32((bit_cast<u64>(total) & 0x1FFFFFFF) == 0x10000000);
            const u32 bits = bit_cast<u32>(float(total));
            out[i] = std::fabs(total) < smallest<F>() ? 0 : bits;
        }
        if (!careful) return;
    }
    for (int i = 0; i < CHUNK; ++i) out[i] = y ? round_sum<F>(x[i], y[i]) : round_float64<F>(x[i]);
}

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
            auto* row = packer.new_row();
            vector_row<F, Output>(op, x.rows[cycle][index], x.flip, y.rows[cycle][index], y.flip,
                                  z.rows[cycle][index], z.flip, row);
            packer.put(cycle, index, row);
        }
}

// --- double precision: exact sums ------------------------------------------------------------------------------------

// The double multiplier's product of two mantissas: it omits the product of the low 16 bits, and adds 2^30 instead.
inline unsigned __int128 truncated_mantissas(u64 a, u64 b) {
    const u64 omitted = (a & 0xFFFF) * (b & 0xFFFF);
    return static_cast<unsigned __int128>(a) * b - omitted + (omitted ? u64(1) << 30 : 0);
}

inline void add_double(ExactSum& sum, u64 bits) {
    if (bits & Double::infinity)
        sum.add(bits >> 63, significand<Double>(bits), exponent_field<Double>(bits) - (1023 + 52) - ExactSum::unit);
}

inline void add_product(ExactSum& sum, u64 x, u64 y) {
    if ((x & Double::infinity) && (y & Double::infinity))
        sum.add((x ^ y) >> 63, truncated_mantissas(significand<Double>(x), significand<Double>(y)),
                exponent_field<Double>(x) + exponent_field<Double>(y) - 2);
}

// Double products exist in PE 0, 1 (`u`) or 2, 3 (`d`) only; the other PEs get the addend.
inline bool has_product(int rows, int pe) { return (pe % PES < 2) == (rows == 1); }

template <class Output>
inline void vector_of_doubles(Block& block, const Instruction& instruction, Result& result) {
    const Mau op = Mau(instruction.code);
    const bool two = op == Mau::vfma || op == Mau::vmul, sums = op == Mau::vfma || op == Mau::vadd;
    const auto x = read_elements<Double>(block, instruction.sources[0], 1);
    const auto y = two ? read_elements<Double>(block, instruction.sources[1], 1) : Elements<u64>{};
    const auto z = sums ? read_elements<Double>(block, instruction.sources[two ? 2 : 1], 1) : Elements<u64>{};
    Packer<typename Output::U> packer(block, instruction, result);
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        auto* row = packer.new_row();
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

inline Result vector(Block& block, const Instruction& instruction) {
    Result result{};
    const bool narrows = instruction.narrow;
    if (instruction.letter == Letter::d)
        narrows ? vector_of_doubles<Single>(block, instruction, result) : vector_of_doubles<Double>(block, instruction, result);
    else if (instruction.letter == Letter::f)
        narrows ? vector_of<Single, Half>(block, instruction, result) : vector_of<Single, Single>(block, instruction, result);
    else
        narrows ? vector_of<Half, Half>(block, instruction, result) : vector_of<Half, Single>(block, instruction, result);
    flush(block, result, instruction.flush, instruction.letter == Letter::h && !narrows);
    return result;
}

// --- matrix registers (section 9.2): a row is long word 0 of the four PEs of a MAB -----------------------------------

constexpr int MATRIX_WORDS = 2 * PES;  // of a row

inline int matrix_rows(Letter letter) { return letter == Letter::d ? 4 : letter == Letter::h ? 16 : 8; }

inline u32* matrix_row(const Block& block, int which, int row) {
    return block.machine.matrices[which] + (std::size_t(row) * ALL_MABS + block.first_pe() / PES) * MATRIX_WORDS;
}

// The datum that mwrite stores, decorations applied.
inline Datum written_datum(Block& block, const Instruction& instruction) {
    const Operand& source = instruction.sources[0];
    if (!source.negate && !source.widen && !source.narrow) return read(block, source);
    Result packed{};
    const int per_cycle = instruction.target.words;
    const auto pack = [&](auto format, int count) {
        using F = decltype(format);
        using U = typename F::U;
        const auto elements = read_elements<F>(block, source, count * per_cycle);
        Packer<U> packer(block, instruction, packed);
        for (int cycle = 0; cycle < CYCLES; ++cycle)
            for (int index = 0; index < count * per_cycle; ++index) {
                U* row = packer.new_row();
                for (int pe = 0; pe < ROW; ++pe) row[pe] = U(elements.rows[cycle][index][pe] ^ elements.flip);
                packer.put(cycle, index, row);
            }
    };
    if (instruction.letter == Letter::d) pack(Double{}, 1);
    else if (instruction.letter == Letter::h) pack(Half{}, 4);
    else pack(Single{}, 2);
    return packed.datum;
}

// mwrite: cycle c writes row a + c; with `$llx` rows a + 2c and a + 2c + 1. Rows are kept until the step has read.
inline Result matrix_write(Block& block, const Instruction& instruction) {
    return Result{written_datum(block, instruction)};
}

inline void store_matrix(Block& block, const Instruction& instruction, const Result& result) {
    const Operand& target = instruction.target;
    const int size = matrix_rows(instruction.letter);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int pair = 0; pair < target.words; ++pair) {
            const int number = (target.addresses[0] + cycle * target.words + pair) % size;
            u32* row = matrix_row(block, target.index, number);
            const u32 *high = result.datum.rows[cycle][2 * pair], *low = result.datum.rows[cycle][2 * pair + 1];
            for (int pe = 0; pe < ROW; ++pe) {
                row[2 * pe] = high[pe];
                row[2 * pe + 1] = low[pe];
            }
        }
}

// mread: cycle c delivers column a + c, transposed; `$llx` (halves) columns a + 2c and a + 2c + 1.
inline Result matrix_read(Block& block, const Instruction& instruction) {
    Result result{zero_datum()};
    const Operand& source = instruction.sources[0];
    const Letter letter = instruction.letter;
    const int size = matrix_rows(letter), per_pe = size / PES;
    const auto half = [&](int row, int column, int mab) -> u32 {
        const u32 word = matrix_row(block, source.index, row)[mab * MATRIX_WORDS + column / 2];
        return column % 2 ? word & 0xFFFF : word >> 16;
    };
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < 2 * source.words; ++word) {
            u32* target = block.new_row();
            const int column = (source.addresses[0] + cycle * source.words + word / 2) % size;
            for (int p = 0; p < PES; ++p) {
                const int first = p * per_pe, within = letter == Letter::d ? 2 * column + word : column;
                const u32* from = matrix_row(block, source.index, letter == Letter::d ? first : first + word % 2) + within;
                for (int mab = 0; mab < ROW / PES; ++mab)
                    target[mab * PES + p] = letter != Letter::h
                                                ? from[mab * MATRIX_WORDS]
                                                : half(first + 2 * (word % 2), column, mab) << 16 |
                                                      half(first + 2 * (word % 2) + 1, column, mab);
            }
            result.datum.rows[cycle][word] = target;
        }
    flush(block, result, instruction.flush, false);
    return result;
}

// --- matrix-vector products ------------------------------------------------------------------------------------------

// The value of a block float: the mantissa field has no hidden bit.
template <class F>
inline double block_value(typename F::U bits) {
    const u64 sign = u64(bits >> (F::width - 1)) << 63;
    const u64 scale = sign | ((u64(exponent_field<F>(bits)) + (1023 - F::bias + 1)) << 52);
    const double power = bit_cast<double>(scale);
    return bit_cast<double>(scale | u64(bits & F::fraction) << (52 - F::fraction_bits)) - power;
}

// The terms of a single product that its truncation adds: ulps of the factors whose low bits are not zero, low bits.
inline u32 ulps_of(u32 bits) { return (bits & 31) ? (bits & ~Single::fraction) | 16 : 0; }
inline u32 low_of(u32 bits) { return bits & (~Single::fraction | 31); }

// a * b + c where a * b needs no rounding: one instruction where the processor has it, with the same result.
inline double add_exact_product(double a, double b, double c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// Sums of the products of one MAB in the order of j, for its four vectors. matrix: transposed; x: [cycle][word][pe].
template <int Rows, int Columns>
inline void multiply(const double (*matrix)[Rows], const double* x, int mab, double (*sums)[Rows]) {
    constexpr int per_pe = Columns / PES;
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        double sum[Rows] = {};
#pragma GCC unroll 16
        for (int j = 0; j < Columns; ++j) {
            const double factor = x[(cycle * per_pe + j % per_pe) * ROW + mab * PES + j / per_pe];
            for (int i = 0; i < Rows; ++i) sum[i] = add_exact_product(matrix[j][i], factor, sum[i]);
        }
        for (int i = 0; i < Rows; ++i) sums[cycle][i] = sum[i];
    }
}

// 8 rows of 8 words from `offset` on, transposed.
inline void transpose(const u32* const* rows, int offset, u32 (*out)[8]) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
    using Vector = u32 __attribute__((vector_size(32)));
    Vector v[8], pairs[8];
    for (int i = 0; i < 8; ++i) std::memcpy(&v[i], rows[i] + offset, sizeof v[i]);
    for (int i = 0; i < 8; i += 2) {  // words of neighbouring rows side by side
        pairs[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        pairs[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)  // of four rows
        for (int k = 0; k < 2; ++k) {
            v[i + 2 * k] = __builtin_shufflevector(pairs[i + k], pairs[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            v[i + 2 * k + 1] = __builtin_shufflevector(pairs[i + k], pairs[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {  // of all
        const Vector low = __builtin_shufflevector(v[k], v[4 + k], 0, 1, 2, 3, 8, 9, 10, 11);
        const Vector high = __builtin_shufflevector(v[k], v[4 + k], 4, 5, 6, 7, 12, 13, 14, 15);
        std::memcpy(out[k], &low, sizeof low);
        std::memcpy(out[4 + k], &high, sizeof high);
    }
    return;
#endif
#endif
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) out[j][i] = rows[i][offset + j];
}

// The elements of a MAB's matrix that a product uses, transposed: first as bits, then as numbers.
template <class F, int Rows, int Columns, class Function>
inline void load_matrix(const u32* const* rows, int mab, int step, Function value, double (*out)[Rows]) {
    alignas(64) typename F::U bits[Columns][Rows];
    if constexpr (Rows == 8 && Columns == 8) {
        transpose(rows, mab * MATRIX_WORDS, bits);
    } else {
        for (int i = 0; i < Rows; ++i) {
            const u32* row = rows[i] + mab * MATRIX_WORDS;
            for (int j = 0; j < Columns; ++j)
                bits[j][i] = typename F::U(F::width == 16 ? row[j / 2] >> (j % 2 ? 0 : 16) : row[step * j]);
        }
    }
    for (int j = 0; j < Columns; ++j)
        for (int i = 0; i < Rows; ++i) out[j][i] = value(bits[j][i]);
}

// sums[cycle][element][pe]: combined with what the products of all MABs of the block add up to.
template <class F, int Rows, int Columns, class Function, class Combine>
inline void add_products(Block& block, const Instruction& instruction, const Elements<typename F::U>& x, Function value,
                         Combine combine, double* sums) {
    constexpr int per_pe = Columns / PES, results = Rows / PES;
    const u32* rows[Rows];
    for (int i = 0; i < Rows; ++i) rows[i] = matrix_row(block, instruction.sources[0].index, i);
    double* vectors = block.arena.take<double>(CYCLES * per_pe * ROW);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < per_pe; ++word) {
            double* out = vectors + (cycle * per_pe + word) * ROW;
            const auto* row = x.rows[cycle][word];
            for (int pe = 0; pe < ROW; ++pe) out[pe] = value(typename F::U(row[pe] ^ x.flip));
        }
    const int step = instruction.letter == Letter::f ? 2 : 1;  // single precision uses the even columns
    alignas(64) double matrix[Columns][Rows], products[CYCLES][Rows];
    for (int mab = 0; mab < ROW / PES; ++mab) {
        load_matrix<F, Rows, Columns>(rows, mab, step, value, matrix);
        multiply<Rows, Columns>(matrix, vectors, mab, products);
        for (int cycle = 0; cycle < CYCLES; ++cycle)
            for (int element = 0; element < results; ++element) {
                double* target = sums + (cycle * results + element) * ROW + mab * PES;
                double terms[PES];
                for (int p = 0; p < PES; ++p) terms[p] = products[cycle][p * results + element];
                for (int p = 0; p < PES; ++p) target[p] = combine(target[p], terms[p]);
            }
    }
}

// The sums before the one rounding. What truncation adds to single products is summed by itself first.
template <class F, int Rows, int Columns>
inline void matrix_sums(Block& block, const Instruction& instruction, double* sums) {
    const auto x = read_elements<F>(block, instruction.sources[1], Columns / PES);
    const auto value = [](auto bits) { return block_value<F>(bits); };
    const auto put = [](double, double term) { return term; };
    if constexpr (F::width == 32 && Columns == 4) {
        const auto ulps = [](u32 bits) { return block_value<F>(ulps_of(bits)); };
        const auto low = [](u32 bits) { return block_value<F>(low_of(bits)); };
        add_products<F, Rows, Columns>(block, instruction, x, ulps, put, sums);
        add_products<F, Rows, Columns>(block, instruction, x, low, [](double sum, double term) { return sum - term; }, sums);
        add_products<F, Rows, Columns>(block, instruction, x, value, [](double sum, double term) { return term + sum; }, sums);
    } else {
        add_products<F, Rows, Columns>(block, instruction, x, value, put, sums);
    }
}

template <class Output>
inline void product_of(Block& block, const Instruction& instruction, Result& result) {
    const int count = result_count(instruction.letter);
    double* sums = block.arena.take<double>(CYCLES * LANES * ROW);
    if (instruction.letter == Letter::h) matrix_sums<Half, 16, 16>(block, instruction, sums);
    else if (instruction.letter == Letter::f) matrix_sums<Single, 8, 4>(block, instruction, sums);
    else matrix_sums<Single, 8, 8>(block, instruction, sums);
    const bool adds = Mau(instruction.code) == Mau::mfma;
    const auto c = adds ? read_elements<Single>(block, instruction.sources[2], count) : Elements<u32>{};
    Packer<typename Output::U> packer(block, instruction, result);
    double addend[CHUNK];
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int index = 0; index < count; ++index) {
            auto* row = packer.new_row();
            const double* sum = sums + (cycle * count + index) * ROW;
            for (int pe = 0; pe < ROW; pe += CHUNK) {
                if (adds) values(c.rows[cycle][index] + pe, c.flip, addend);
                round_chunk<Output>(sum + pe, adds ? addend : nullptr, row + pe);
            }
            packer.put(cycle, index, row);
        }
}

// dmmul, dmfma: rows 0, 1 (`u`) or 2, 3 (`d`) of the matrix; the other PEs get the addend.
template <class Output>
inline void product_of_doubles(Block& block, const Instruction& instruction, Result& result) {
    const auto x = read_elements<Double>(block, instruction.sources[1], 1);
    const bool adds = Mau(instruction.code) == Mau::mfma;
    const auto c = adds ? read_elements<Double>(block, instruction.sources[2], 1) : Elements<u64>{};
    Packer<typename Output::U> packer(block, instruction, result);
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        auto* row = packer.new_row();
        for (int pe = 0; pe < ROW; ++pe) {
            ExactSum sum;
            const u32* words = matrix_row(block, instruction.sources[0].index, pe % PES) + pe / PES * MATRIX_WORDS;
            for (int j = 0; has_product(instruction.rows, pe) && j < PES; ++j) {
                const u64 a = u64(words[2 * j]) << 32 | words[2 * j + 1];
                const u64 b = x.rows[cycle][0][pe / PES * PES + j] ^ x.flip;
                // Without hidden bit the mantissa weighs twice as much: the exponent fields need no offset.
                sum.add((a ^ b) >> 63, truncated_mantissas(a & Double::fraction, b & Double::fraction),
                        exponent_field<Double>(a) + exponent_field<Double>(b));
            }
            if (adds) add_double(sum, c.rows[cycle][0][pe] ^ c.flip);
            row[pe] = sum.round<Output>();
        }
        packer.put(cycle, 0, row);
    }
}

inline Result product(Block& block, const Instruction& instruction) {
    Result result{};
    const bool narrows = instruction.narrow;
    if (instruction.letter == Letter::d)
        narrows ? product_of_doubles<Single>(block, instruction, result) : product_of_doubles<Double>(block, instruction, result);
    else
        narrows ? product_of<Half>(block, instruction, result) : product_of<Single>(block, instruction, result);
    flush(block, result, instruction.flush, instruction.letter == Letter::h && !narrows);
    return result;
}

inline Result mau(Block& block, const Instruction& instruction) {
    const Mau op = Mau(instruction.code);
    return op == Mau::mmul || op == Mau::mfma ? product(block, instruction) : vector(block, instruction);
}

}  // namespace haribote
