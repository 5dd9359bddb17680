// Results that can be written where they belong while they are computed, without a temporary copy.
//
// A step reads everything before it writes anything: a result may go to its memory at once where no instruction of the
// step reads what it overwrites. An operand of the MAU may have the very words that its result replaces (`fvadd $lr0v
// $ln0v $lr0v`), since element by element each is read before it is written.
#include "units.hpp"

namespace haribote {

// True where the step may read words of `target` after its result has begun to be written, or reads them at addresses
// that depend on the PE.
inline bool is_disturbed(const Operand& source, const Operand& target, bool element_by_element) {
    if (source.kind != Kind::memory || source.index != target.index) return false;
    if (source.indirect || source.reach) return true;
    for (int c = 0; c < CYCLES; ++c)
        for (int d = 0; d < CYCLES; ++d) {
            const int read = static_address(source, c), written = static_address(target, d);
            if (element_by_element && c == d && read == written) continue;
            if (read < written + target.words && written < read + source.words) return true;
        }
    return false;
}

// `$lr0` without v: the cycles write the same words one after the other, but forwarding paths keep all four.
inline bool has_room_for_all_cycles(const Operand& target) {
    for (int c = 0; c < CYCLES; ++c)
        for (int d = 0; d < c; ++d)
            if (static_address(target, c) == static_address(target, d)) return false;
    return true;
}

inline bool writes_at_once(const Instruction& instruction, const Operand& target) {
    switch (instruction.unit) {
        case Unit::to_pes: return target.words <= instruction.sources[0].words;
        case Unit::mau: return true;
        case Unit::alu: return !instruction.flags;  // they are made from operands and results
        default: return false;
    }
}

inline bool may_be_placed(const Program& program, const Line& line, const Store& store) {
    const Instruction* instructions = program.instructions + line.first_instruction;
    const Instruction& instruction = instructions[store.instruction];
    const Operand& target = store.operand;
    if (target.kind != Kind::memory || target.indirect || target.reach || store.mask >= 0) return false;
    if (instruction.flush >= 0 || !writes_at_once(instruction, target)) return false;
    if (!has_room_for_all_cycles(target)) return false;
    for (int i = 0; i < line.stores; ++i) {
        const Store& other = program.stores[line.first_store + i];
        if (&other != &store && other.operand.kind == Kind::memory && other.operand.index == target.index) return false;
    }
    for (int i = 0; i < line.instructions; ++i) {
        const bool element_by_element = i == store.instruction && instruction.unit == Unit::mau;
        for (const Operand& source : instructions[i].sources)
            if (is_disturbed(source, target, element_by_element)) return false;
    }
    return true;
}

std::vector<const Operand*> placements(const Program& program, int first, int last) {
    std::vector<const Operand*> placed;
    for (int number = first; number < last; ++number) {
        const Line& line = program.lines[number];
        if (line.kind != LineKind::step) continue;
        placed.resize(std::size_t(line.first_instruction + line.instructions));
        for (int i = 0; i < line.stores; ++i) {
            const Store& store = program.stores[line.first_store + i];
            const Operand*& into = placed[std::size_t(line.first_instruction + store.instruction)];
            if (!into && may_be_placed(program, line, store)) into = &store.operand;
        }
    }
    return placed;
}

}  // namespace haribote
