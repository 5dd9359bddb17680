// What the engine is given: a decoded program as plain records of 32-bit integers, and where the memories are.
//
// records.py reads the enumerations (a trailing underscore only avoids a C++ keyword; that of ALU instructions is in
// alu.cpp) and the structures from this file; haribote_record_sizes lets build.py check that a library was made from the same ones.
#pragma once

#include <cstdint>

namespace haribote {

using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class Unit : i32 { alu, mau, mau_write, mau_read, to_pes, from_pes, l2bm };
enum class Kind : i32 {
    none, memory, t, path, fixed, immediate, matrix, l1bm, turnaround, l2bm, base, mask, dram, pdm
};
enum class Bank : i32 { lm0, lm1, grf0, grf1 };
enum class Path : i32 { aluf, mauf, lbf, mreadf };
enum class Fixed : i32 { l2bid, l1bid, mabid, peid, subpeid, msb1 };
enum class Letter : i32 { none, d, f, g, h, l, i, s };
enum class Reduction : i32 { none, fadd, max, min, iadd, band, bor, and_, or_ };
enum class Mau : i32 { vfma, vmul, vadd, vpassa, mmul, mfma };
enum class L2bm : i32 { broadcast, broadcast_pairs, deal, gather, copy, reduce, reduce_pairs, indirect };
enum class MoveOp : i32 { mvp, mvb, mvb2, mvb4, mvd, mvr, mvr2, mvr4 };
enum class LineKind : i32 { step, local_move, global_move };

// An operand. index: of bank, path, fixed value, matrix register or mask entry; of moves the group, -1 for all.
// addresses: one per cycle, before base address register, T and j; others use the first. words: of a move the L2B.
struct Operand {
    Kind kind;
    i32 index;
    i32 words;
    i32 addresses[4];
    i32 indirect;
    i32 reach;  // PEs with a number below this one use the address + words (`j`)
    i32 literal;
    i32 negate, widen, narrow;
};

// A write of a PE destination. mask: entry, or -1; by_word: the `ll` form.
struct Store {
    Operand operand;
    i32 instruction;  // its number within the step
    i32 mask, by_word;
};

// A PE instruction. kept, shift, mab: see program.py; rows: 1 = `u`, 2 = `d`; flush: entry or -1; path: the forwarding
// path that keeps its result or -1; latch: a later line reads the forwarding path or the
// turnaround register; copy: what a result shares with a memory must be copied, as this step overwrites it.
// mabs: of a transfer family (1, 4, 16; 0 for l1bmp); l1bs: bits of the set, for l2bmi 4 bits per L1B: its origin + 1.
struct Instruction {
    Unit unit;
    i32 code;
    Letter letter;
    Reduction reduction;
    i32 kept, shift, mab, rows, narrow, is_unsigned;
    i32 flush, flags, path, latch, copy;
    i32 mabs;
    u32 l1bs;
    Operand sources[3];
    Operand target;  // matrix, L1BM, turnaround or L2BM
};

struct Line {
    LineKind kind;
    i32 first_instruction, instructions;  // steps
    i32 first_store, stores;
    MoveOp move;
    Letter letter;
    Reduction reduction;
    i32 size;
    Operand source, destination;
};

struct Program {
    const Line* lines;
    const Instruction* instructions;
    const Store* stores;
};

// Pointers to the memories, in the shapes that simulator/engine/state/memories.py gives them.
struct Machine {
    u32* banks[4];
    u32* t;
    u8* omr;
    u16* bases[2];
    u32* matrices[2];
    u64 *l1bm, *l2bm, *pdm;
    u64** pages;      // [group][page], null where nothing was ever written
    u32* paths[4];    // [cycle][word][pe]
    u64* turnaround;  // [l2b][l1b][TURNAROUND_LONGS]
};

}  // namespace haribote
