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
void from_l2bm(Block& block, const Instruction& instruction);  // to the L1BMs of the block; reads what it needs only now

// From the L1BMs of an L2B to its L2BM, or between them, at the end of a stretch.
void from_l1bms(const Machine& machine, int l2b, const Instruction& instruction);

// For each of the lines and the end: true where all blocks must have done the steps before, and transfers from L1BMs be
// done. Between two such lines, steps run in one block after the other. A transfer between L1BMs ends its stretch.
std::vector<bool> stretch_starts(const Program& program, int first, int last);

// For each instruction of the steps first to last - 1: where its result may be written at once, or null.
std::vector<const Operand*> placements(const Program& program, int first, int last);

// MV lines: inside one group, or between groups. The buffers are for the long words on their way.
void local_move(const Machine& machine, const Line& line, int group, Longs& buffer);
void global_move(const Machine& machine, const Line& line, Longs& whole, Longs& parts);

}  // namespace haribote
