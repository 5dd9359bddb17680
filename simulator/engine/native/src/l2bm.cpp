// Transfers between L2BM and L1BM inside one L2B (isa.md, section 7).
//
// The assembler admits no step with two of them, and none that reads and writes the same addresses of an L1BM.
#include "longs.hpp"
#include "reduce.hpp"
#include "units.hpp"

namespace haribote {

// Which long words of the L2BM an L1B gets, from `address` on: `size` per cycle, `stride` from cycle to cycle.
struct Share {
    int offset, size, stride;
};

inline Share share_of(L2bm op, int l1b) {
    if (op == L2bm::deal) return {8 * l1b, 8, 64};
    if (op == L2bm::broadcast_pairs) return {16 * (l1b / 2), 16, 64};
    return {0, 16, 16};
}

inline void from_l2bm(Block& block, const Instruction& instruction) {
    const int address = instruction.sources[0].addresses[0];
    const u64* memory = l2bm_of(block.machine, block.l2b);
    for (int l1b = 0; l1b < L1BS; ++l1b) {
        if (!(instruction.l1bs >> l1b & 1)) continue;
        const Share share = share_of(L2bm(instruction.code), l1b);
        u64 longs[64];
        for (int cycle = 0; cycle < CYCLES; ++cycle)
            load_longs(memory, L2BM_LONGS, address + share.offset + cycle * share.stride, share.size,
                       longs + cycle * share.size);
        store_longs(l1bm_of(block.machine, block.l2b, l1b), L1BM_LONGS, instruction.target.addresses[0],
                    CYCLES * share.size, longs);
    }
}

// l2bmi: what each L1BM gets from another.
inline void copy_between_l1bms(const Machine& machine, int l2b, const Instruction& instruction,
                               const u64 (*inputs)[64]) {
    for (int l1b = 0; l1b < L1BS; ++l1b) {
        const int origin = int(instruction.l1bs >> (4 * l1b) & 15) - 1;
        if (origin < 0) continue;
        store_longs(l1bm_of(machine, l2b, l1b), L1BM_LONGS, instruction.target.addresses[0], 64, inputs[origin]);
    }
}

inline void reduce_l1bms(const Instruction& instruction, u64 (*inputs)[64], u64* out) {
    const u64* rows[L1BS];
    for (int l1b = 0; l1b < L1BS; ++l1b) {
        const bool included = instruction.l1bs >> l1b & 1;
        if (!included) std::fill_n(inputs[l1b], 64, initial_value(instruction.reduction, instruction.letter));
        rows[l1b] = inputs[l1b];
    }
    reduce_arrays(instruction.reduction, instruction.letter, rows, {L1BS, 1}, 64, out, nullptr);
}

inline void reduce_pairs(const Instruction& instruction, const u64 (*inputs)[64], u64* out) {
    for (int pair = 0; pair < L1BS / 2; ++pair)
        for (int a = 0; a < 64; ++a) {
            const u64 column[2] = {inputs[2 * pair][a], inputs[2 * pair + 1][a]};
            out[64 * (a / 16) + 16 * pair + a % 16] =
                reduce_longs(instruction.reduction, instruction.letter, column, {2, 1});
        }
}

inline void from_l1bms(const Machine& machine, int l2b, const Instruction& instruction) {
    const L2bm op = L2bm(instruction.code);
    const int size = longs_per_l1b(instruction);
    u64 inputs[L1BS][64], out[256];
    for (int l1b = 0; l1b < L1BS; ++l1b)
        load_longs(l1bm_of(machine, l2b, l1b), L1BM_LONGS, instruction.sources[0].addresses[0], size, inputs[l1b]);
    if (op == L2bm::indirect) return copy_between_l1bms(machine, l2b, instruction, inputs);
    if (op == L2bm::copy) std::copy_n(inputs[__builtin_ctz(instruction.l1bs)], 64, out);
    if (op == L2bm::reduce) reduce_l1bms(instruction, inputs, out);
    if (op == L2bm::reduce_pairs) reduce_pairs(instruction, inputs, out);
    if (op == L2bm::gather)
        for (int l1b = 0; l1b < L1BS; ++l1b)
            for (int cycle = 0; cycle < CYCLES; ++cycle)
                std::copy_n(inputs[l1b] + 8 * cycle, 8, out + 64 * cycle + 8 * l1b);
    store_longs(l2bm_of(machine, l2b), L2BM_LONGS, instruction.target.addresses[0], longs_of_l2bm(instruction), out);
}

void transfer_l2bm(Block& block, const Instruction& instruction) {
    if (instruction.sources[0].kind == Kind::l1bm)
        from_l1bms(block.machine, block.l2b, instruction);
    else
        from_l2bm(block, instruction);
}

}  // namespace haribote
