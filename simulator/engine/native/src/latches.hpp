// Forwarding paths during a stretch of steps: see Latches.
#pragma once

#include "block.hpp"

namespace haribote {

inline u32* path_row(const Block& block, int path, int cycle, int word) {
    return block.machine.paths[path] + std::size_t(cycle * WORDS + word) * ROW_DISTANCE + block.first_pe();
}

// At the beginning of a stretch.
inline void find_latches(Block& block) {
    for (int path = 0; path < Latches::PATHS; ++path) {
        block.latches.changed[path] = false;
        for (int cycle = 0; cycle < CYCLES; ++cycle)
            for (int word = 0; word < WORDS; ++word)
                block.latches.rows[path][cycle][word] = path_row(block, path, cycle, word);
    }
}

// Keep what a unit puts out for the steps that read its forwarding path.
inline void latch(Block& block, int path, const Result& result) {
    Latches& latches = block.latches;
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < WORDS; ++word) {
            const u32* value = result.datum.rows[cycle][word];
            u32* row = latches.kept[path][latches.next[path]][cycle][word];
            if (value != ZEROS && value != row) std::memcpy(row, value, ROW * sizeof(u32));
            latches.rows[path][cycle][word] = value == ZEROS ? ZEROS : row;
        }
    latches.next[path] ^= 1;
    latches.changed[path] = true;
}

// At the end of a stretch: to where the next one, or NumPy, finds them.
inline void save_latches(const Block& block) {
    for (int path = 0; path < Latches::PATHS; ++path)
        for (int cycle = 0; block.latches.changed[path] && cycle < CYCLES; ++cycle)
            for (int word = 0; word < WORDS; ++word)
                std::memcpy(path_row(block, path, cycle, word), block.latches.rows[path][cycle][word],
                            ROW * sizeof(u32));
}

}  // namespace haribote
