// Long words of the broadcast memories.
#pragma once

#include "block.hpp"

namespace haribote {

inline u64* l1bm_of(const Block& block, int l1b) {
    return block.machine.l1bm + std::size_t(block.l2b * L1BS + l1b) * L1BM_LONGS;
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

}  // namespace haribote
