// Matrix registers of the MAU (isa.md, section 9.2).
#pragma once

#include "block.hpp"

namespace haribote {

constexpr int MATRIX_WORDS = 2 * PES;  // of a row: long word 0 of the four PEs of a MAB

inline int matrix_rows(Letter letter) { return letter == Letter::d ? 4 : letter == Letter::h ? 16 : 8; }

inline u32* matrix_row(const Block& block, int which, int row) {
    const std::size_t mab = std::size_t(row) * MATRIX_ROW_DISTANCE + std::size_t(block.first_pe() / PES);
    return block.machine.matrices[which] + mab * MATRIX_WORDS;
}

}  // namespace haribote
