// Reading and writing the matrix registers of the MAU (isa.md, section 9.2).
#include "elements.hpp"
#include "matrix.hpp"
#include "units.hpp"

namespace haribote {

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
                U* row = packer.new_row(cycle, index);
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
Result matrix_write(Block& block, const Instruction& instruction) {
    return Result{written_datum(block, instruction)};
}

void store_matrix(Block& block, const Instruction& instruction, const Result& result) {
    const Operand& target = instruction.target;
    const int size = matrix_rows(instruction.letter);
    block.matrices.known[target.index] = false;
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
Result matrix_read(Block& block, const Instruction& instruction) {
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
                const int row = letter == Letter::d ? first : first + word % 2;
                const u32* from = matrix_row(block, source.index, row) + within;
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

}  // namespace haribote
