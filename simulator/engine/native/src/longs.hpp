// Long words of the broadcast memories.
#pragma once

#include "block.hpp"

namespace haribote {

inline u64* l1bm_of(const Machine& machine, int l2b, int l1b) {
    return machine.l1bm + std::size_t(l2b * L1BS + l1b) * L1BM_LONGS;
}
inline u64* l2bm_of(const Machine& machine, int l2b) { return machine.l2bm + std::size_t(l2b) * L2BM_LONGS; }

inline void load_longs(const u64* memory, int size, int address, int count, u64* out) {
    const int until_end = std::min(count, size - address % size);
    std::memcpy(out, memory + address % size, std::size_t(until_end) * sizeof(u64));
    std::memcpy(out + until_end, memory, std::size_t(count - until_end) * sizeof(u64));
}

inline void store_longs(u64* memory, int size, int address, int count, const u64* values) {
    const int until_end = std::min(count, size - address % size);
    std::memcpy(memory + address % size, values, std::size_t(until_end) * sizeof(u64));
    std::memcpy(memory, values + until_end, std::size_t(count - until_end) * sizeof(u64));
}

// Long words that a transfer reads or writes at each L1BM.
inline int longs_per_l1b(const Instruction& instruction) {
    if (instruction.unit == Unit::l2bm) {
        const L2bm op = L2bm(instruction.code);
        return op == L2bm::deal || op == L2bm::gather ? 32 : 64;
    }
    const int wide = (instruction.unit == Unit::to_pes ? instruction.sources[0] : instruction.target).words / 2;
    return instruction.mabs == 0 ? CYCLES * wide : CYCLES * instruction.mabs * wide * PES;
}

// Long words that a transfer between L2BM and L1BM reads or writes at the L2BM.
inline int longs_of_l2bm(const Instruction& instruction) {
    const L2bm op = L2bm(instruction.code);
    return op == L2bm::broadcast || op == L2bm::copy || op == L2bm::reduce ? 64 : 256;
}

}  // namespace haribote
