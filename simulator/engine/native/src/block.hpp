// The machine's memories, and the operands of the PEs of one L2B: reading and writing (isa.md, sections 5 and 10.1).
//
// The PEs of an L2B are a block: what the instructions of a step exchange stays inside it, and what it works on stays
// in the cache. A datum is 4 cycles of 4 words, each a row of one word per PE; rows may lie in a memory itself, so most
// operands are not copied.
#pragma once

#include <algorithm>

#include "formats.hpp"
#include "workspace.hpp"

namespace haribote {

struct Block {
    const Machine& machine;
    int l2b;
    Arena& arena;
    Matrices& matrices;
    Latches& latches;
    bool moved[2];                  // LM0, LM1: some PE's base address is not 0
    const Operand* into = nullptr;  // of the running instruction: where its result goes at once, see placement.hpp
    int latch = -1;                 // of the running instruction: the forwarding path that keeps its result

    int first_pe() const { return l2b * ROW; }
    u32* new_row() { return arena.take<u32>(ROW); }
    u32* result_row(int cycle, int word);
};

// The words that an operand delivers or an instruction puts out.
struct Datum {
    const u32* rows[CYCLES][WORDS];
};

// What an instruction puts out. owned: its rows are temporary ones of the step and may be changed.
struct Result {
    Datum datum;
    u8* flags = nullptr;  // [cycle][flag][pe of the block]
    u64* longs = nullptr;  // what goes to the L1BM or L2BM instead, and the turnaround register
    u8* flag_row(int cycle, int flag) const { return flags + (cycle * LANES + flag) * ROW; }
};

alignas(64) inline const u32 ZEROS[ROW] = {};

inline Datum zero_datum() {
    Datum datum;
    for (auto& cycle : datum.rows)
        for (auto& row : cycle) row = ZEROS;
    return datum;
}

// --- addresses -------------------------------------------------------------------------------------------------------

inline int bank_words(int bank) { return bank < 2 ? 4096 : 512; }

inline u32* bank_row(const Block& block, int bank, int address) {
    return block.machine.banks[bank] + std::size_t(address) * ROW_DISTANCE + block.first_pe();
}

inline const u16* base_addresses(const Block& block, int bank) {
    return block.machine.bases[bank] + block.first_pe();
}

inline u32* t_row(const Block& block, int cycle, int word) {
    return block.machine.t + std::size_t(cycle * WORDS + word) * ROW_DISTANCE + block.first_pe();
}

inline void note_bases(Block& block) {
    for (int bank = 0; bank < 2; ++bank) {
        u16 any = 0;
        for (int pe = 0; pe < ROW; ++pe) any = u16(any | base_addresses(block, bank)[pe]);
        block.moved[bank] = any != 0;
    }
}

// True where PEs may have different addresses.
inline bool is_dynamic(const Block& block, const Operand& operand) {
    return operand.indirect || operand.reach || (operand.index < 2 && block.moved[operand.index]);
}

inline int static_address(const Operand& operand, int cycle) {
    return operand.addresses[cycle] % bank_words(operand.index) & -operand.words;
}

// The first word address of every PE in one cycle (section 5.1).
inline void pe_addresses(const Block& block, const Operand& operand, int cycle, i32* starts) {
    const u32* t = t_row(block, cycle, 1);
    const int mask = (bank_words(operand.index) - 1) & -operand.words;
    for (int pe = 0; pe < ROW; ++pe) {
        i32 address = operand.addresses[cycle];
        if (operand.index < 2) address += base_addresses(block, operand.index)[pe];
        if (operand.indirect) address += i32(t[pe] & 0xFFF);
        if (pe % PES < operand.reach) address += operand.words;
        starts[pe] = address & mask;
    }
}

// A row for one word of a result: where the word is kept, so that nobody has to copy it, or a temporary one.
inline u32* Block::result_row(int cycle, int word) {
    if (into && word < into->words) return bank_row(*this, into->index, static_address(*into, cycle) + word);
    if (latch >= 0) return latches.kept[latch][latches.next[latch]][cycle][word];
    return new_row();
}

// --- reading ---------------------------------------------------------------------------------------------------------

inline u32 fixed_value(Fixed which, const Block& block, int pe, int width) {
    switch (which) {
        case Fixed::l2bid: return u32(block.l2b);
        case Fixed::l1bid: return u32(pe / L1B_PES);
        case Fixed::mabid: return u32(pe / PES % MABS);
        case Fixed::peid: return u32(pe % L1B_PES);
        case Fixed::subpeid: return u32(pe % PES);
        case Fixed::msb1: return u32(1) << (width < 32 ? width - 1 : 31);
    }
    return 0;
}

inline Datum read_fixed(Block& block, Fixed which, int width) {
    u32* row = block.new_row();
    for (int pe = 0; pe < ROW; ++pe) {
        const u32 value = fixed_value(which, block, pe, width);
        row[pe] = width == 16 ? value << 16 | value : value;
    }
    Datum datum = zero_datum();
    const int first = width == 64 && which != Fixed::msb1 ? 1 : 0, step = width == 64 ? 2 : 1;
    for (auto& cycle : datum.rows)
        for (int word = first; word < WORDS; word += step) cycle[word] = row;
    return datum;
}

inline Datum read_memory(Block& block, const Operand& operand) {
    Datum datum = zero_datum();
    const bool dynamic = is_dynamic(block, operand);
    i32* starts = dynamic ? block.arena.take<i32>(ROW) : nullptr;
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        const int address = static_address(operand, cycle);
        if (dynamic) pe_addresses(block, operand, cycle, starts);
        for (int word = 0; word < operand.words; ++word) {
            datum.rows[cycle][word] = bank_row(block, operand.index, address + word);
            if (!dynamic) continue;
            const u32* memory = bank_row(block, operand.index, word);
            u32* row = block.new_row();
            for (int pe = 0; pe < ROW; ++pe) row[pe] = memory[std::size_t(starts[pe]) * ROW_DISTANCE + pe];
            datum.rows[cycle][word] = row;
        }
    }
    return datum;
}

// The datum of an operand; width: of the elements of an ALU instruction, for fixed values.
inline Datum read(Block& block, const Operand& operand, int width = 64) {
    if (operand.kind == Kind::memory) return read_memory(block, operand);
    if (operand.kind == Kind::fixed) return read_fixed(block, Fixed(operand.index), width);
    Datum datum = zero_datum();
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < WORDS; ++word) {
            if (operand.kind == Kind::t) datum.rows[cycle][word] = t_row(block, cycle, word);
            if (operand.kind == Kind::path) datum.rows[cycle][word] = block.latches.rows[operand.index][cycle][word];
        }
    return datum;
}

// --- masks -----------------------------------------------------------------------------------------------------------

inline bool is_fixed_entry(int entry) { return entry == 0 || entry >= 16; }
inline bool lets_through(int entry, int cycle) { return entry == 0 || (entry & (8 >> cycle)); }

inline const u8* mask_flags(const Block& block, int entry, int cycle, int flag) {
    return block.machine.omr + (std::size_t(entry * CYCLES + cycle) * LANES + flag) * ROW_DISTANCE + block.first_pe();
}

// The bits of one word of a datum that a mask lets through, one row; null where all are.
inline const u32* lane_bits(const Block& block, int entry, bool by_word, int cycle, int word, u32* row) {
    if (!by_word && word >= 2) return nullptr;  // long word 1 is not masked but by `ll`
    if (is_fixed_entry(entry)) return lets_through(entry, cycle) ? nullptr : ZEROS;
    const u8* high = mask_flags(block, entry, cycle, by_word ? word : 2 * word);
    const u8* low = by_word ? high : mask_flags(block, entry, cycle, 2 * word + 1);
    for (int pe = 0; pe < ROW; ++pe) row[pe] = (0u - high[pe]) << 16 | (0u - low[pe]) >> 16;
    return row;
}

// Zero-flush: elements whose flag is 0 become zero. A fixed entry flushes whole cycles.
inline void flush(Block& block, Result& result, int entry, bool by_word) {
    if (entry < 0) return;
    u32* bits = block.new_row();
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < WORDS; ++word) {
            const u32*& row = result.datum.rows[cycle][word];
            if (is_fixed_entry(entry)) {
                if (!lets_through(entry, cycle)) row = ZEROS;
                continue;
            }
            const u32* through = lane_bits(block, entry, by_word, cycle, word, bits);
            if (!through || row == ZEROS) continue;
            u32* flushed = block.new_row();
            for (int pe = 0; pe < ROW; ++pe) flushed[pe] = row[pe] & through[pe];
            row = flushed;
        }
}

// --- writing ---------------------------------------------------------------------------------------------------------

inline void blend_row(u32* target, const u32* row, const u32* bits) {
    if (target == row) return;
    if (!bits)
        std::memcpy(target, row, ROW * sizeof(u32));
    else if (bits != ZEROS)
        for (int pe = 0; pe < ROW; ++pe) target[pe] ^= (target[pe] ^ row[pe]) & bits[pe];
}

inline void store_memory(Block& block, const Store& store, const Result& result) {
    const Operand& operand = store.operand;
    const bool dynamic = is_dynamic(block, operand), masked = store.mask >= 0;
    i32* starts = dynamic ? block.arena.take<i32>(ROW) : nullptr;
    u32* buffer = masked ? block.new_row() : nullptr;
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        if (dynamic) pe_addresses(block, operand, cycle, starts);
        for (int word = 0; word < operand.words; ++word) {
            const u32* row = result.datum.rows[cycle][word];
            const u32* bits = masked ? lane_bits(block, store.mask, store.by_word, cycle, word, buffer) : nullptr;
            if (!dynamic) {
                blend_row(bank_row(block, operand.index, static_address(operand, cycle) + word), row, bits);
                continue;
            }
            u32* memory = bank_row(block, operand.index, word);
            for (int pe = 0; pe < ROW; ++pe) {
                u32& target = memory[std::size_t(starts[pe]) * ROW_DISTANCE + pe];
                target ^= (target ^ row[pe]) & (bits ? bits[pe] : ~0u);
            }
        }
    }
}

inline void store_t(Block& block, const Store& store, const Result& result) {
    u32* buffer = block.new_row();
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < WORDS; ++word)
            blend_row(t_row(block, cycle, word), result.datum.rows[cycle][word],
                      store.mask < 0 ? nullptr : lane_bits(block, store.mask, store.by_word, cycle, word, buffer));
}

// The low 12 bits of the first word or long word of every cycle in turn; the last one written stays.
inline void store_base(Block& block, const Store& store, const Result& result) {
    u16* base = block.machine.bases[store.operand.index] + block.first_pe();
    const int word = store.operand.words - 1;
    u32* buffer = block.new_row();
    for (int cycle = 0; cycle < CYCLES; ++cycle) {
        const u32* bits = store.mask < 0 ? nullptr : lane_bits(block, store.mask, store.by_word, cycle, word, buffer);
        const u32* row = result.datum.rows[cycle][word];
        for (int pe = 0; pe < ROW; ++pe)
            if (!bits || (bits[pe] & 1)) base[pe] = u16(row[pe] & 0xFFF);
    }
    note_bases(block);
}

// Flags that the mask excludes are cleared.
inline void store_flags(Block& block, const Store& store, const Result& result) {
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int flag = 0; flag < LANES; ++flag) {
            u8* target = const_cast<u8*>(mask_flags(block, store.operand.index, cycle, flag));
            const u8* source = result.flag_row(cycle, flag);
            const u8* through = mask_flags(block, std::max(store.mask, 0), cycle, flag);  // entry 0: all ones
            for (int pe = 0; pe < ROW; ++pe) target[pe] = source[pe] & through[pe];
        }
}

inline void perform(Block& block, const Store& store, const Result& result) {
    switch (store.operand.kind) {
        case Kind::memory: return store_memory(block, store, result);
        case Kind::t: return store_t(block, store, result);
        case Kind::base: return store_base(block, store, result);
        case Kind::mask: return store_flags(block, store, result);
        default: __builtin_trap();  // encode.py makes no other store
    }
}

}  // namespace haribote
