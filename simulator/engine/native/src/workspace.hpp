// The sizes of the machine, and what a thread needs to work on one L2B after the other.
#pragma once

#include <cstddef>

#include "records.hpp"

namespace haribote {

constexpr int CYCLES = 4, WORDS = 4, LANES = 4;
constexpr int GROUPS = 4, L2BS = 8, L1BS = 8, MABS = 16, PES = 4;  // of the machine; of the unit above
constexpr int ALL_PES = 4096, ALL_MABS = 1024, L1B_PES = MABS * PES;
constexpr int ROW = ALL_PES / L2BS;  // the PEs of an L2B: every loop over PEs is as long
// From row to row of a memory: simulator/engine/state/rows.py.
constexpr int ROW_DISTANCE = ALL_PES + ALL_PES / 16, MATRIX_ROW_DISTANCE = ALL_MABS + ALL_MABS / 16;  // PEs, MABs
constexpr int L1BM_LONGS = 8192, L2BM_LONGS = 32768, PDM_LONGS = 524288;
constexpr int TURNAROUND_LONGS = 256;
constexpr i64 DRAM_LONGS = i64(1) << 29, PAGE_LONGS = 1 << 15;

// Temporary rows of one step; reset when the step is done.
class Arena {
   public:
    explicit Arena(std::size_t bytes) : memory_(new u8[bytes + 64]), size_(bytes) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_);
        start_ = memory_ + (64 - address % 64) % 64;
    }
    ~Arena() { delete[] memory_; }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    void reset() { used_ = 0; }
    template <class T>
    T* take(std::size_t count) {
        T* result = reinterpret_cast<T*>(start_ + used_);
        used_ += (count * sizeof(T) + 63) / 64 * 64;
        if (used_ > size_) __builtin_trap();  // ARENA_BYTES is too small for some step: a mistake in the engine
        return result;
    }

   private:
    u8* memory_;
    u8* start_;
    std::size_t size_, used_ = 0;
};

// A step has at most six instructions, each with three operands and a result of at most 16 rows, twice for decorations.
constexpr std::size_t ARENA_BYTES = std::size_t(6) * 8 * 16 * ROW * sizeof(u32);

// Matrices of an L2B as the numbers that g products take: [x or y][mab][column][row, in the order of `ROW_ORDER`].
struct Matrices {
    static constexpr int ROWS = 8, COLUMNS = 8;
    static constexpr int ROW_ORDER[ROWS] = {0, 2, 4, 6, 1, 3, 5, 7};  // first those for element 0 of the four PEs
    alignas(64) double values[2][ROW / PES][COLUMNS][ROWS];
    bool known[2];
};

// What units have put out in a stretch of steps, where something reads it later. Two rows in turn for each word of a
// forwarding path: a step may read what is there while it makes the next.
struct Latches {
    static constexpr int PATHS = 4;
    alignas(64) u32 kept[PATHS][2][CYCLES][WORDS][ROW];
    const u32* rows[PATHS][CYCLES][WORDS];  // where the words are: in `kept`, zeros, or still in the machine
    int next[PATHS];                        // which rows of `kept` come next
    bool changed[PATHS];                    // since the stretch began
};

// What a thread needs to work on one L2B after the other.
struct Workspace {
    Arena arena{ARENA_BYTES};
    Matrices matrices;
    Latches latches;
};

}  // namespace haribote
