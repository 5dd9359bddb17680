// What one source file of the engine offers the others. The files are compiled side by side.
#pragma once

#include <vector>

#include "block.hpp"

namespace haribote {

using Longs = std::vector<u64>;

// What an instruction puts out; nothing is written yet.
Result alu(Block& block, const Instruction& instruction);
Result vector(Block& block, const Instruction& instruction);
Result product(Block& block, const Instruction& instruction);
Result matrix_write(Block& block, const Instruction& instruction);
Result matrix_read(Block& block, const Instruction& instruction);
Result to_pes(Block& block, const Instruction& instruction);
Result from_pes(Block& block, const Instruction& instruction);

// Writes of what is no PE memory.
void store_matrix(Block& block, const Instruction& instruction, const Result& result);
void store_blocks(Block& block, const Instruction& instruction, const Result& result);

// Between L2BM and L1BMs; reads what it needs only now, before the step writes anything else to an L1BM.
void transfer_l2bm(Block& block, const Instruction& instruction);

// For each instruction of the steps first to last - 1: where its result may be written at once, or null.
std::vector<const Operand*> placements(const Program& program, int first, int last);

// MV lines: inside one group, or between groups. The buffers are for the long words on their way.
void local_move(const Machine& machine, const Line& line, int group, Longs& buffer);
void global_move(const Machine& machine, const Line& line, Longs& whole, Longs& parts);

}  // namespace haribote
