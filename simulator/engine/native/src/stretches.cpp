// How far steps can run in one block after the other, before all blocks of the L2B have to meet.
//
// The assembler admits no step that reads and writes the same addresses of an L1BM, and none with two transfers of the
// L2BM: only earlier steps matter here.
#include "longs.hpp"
#include "units.hpp"

namespace haribote {

// Long words of a memory, from a start on.
struct Range {
    int start, count;
};

inline bool meet(const std::vector<Range>& ranges, Range other, int size) {
    for (const Range& range : ranges) {
        const int apart = ((other.start - range.start) % size + size) % size;
        if (apart < range.count || apart + other.count > size) return true;
    }
    return false;
}

// What the transfers from L1BMs of a stretch have still to read and write: they are done at its end.
class Waiting {
   public:
    // True where the step may not run before those of earlier steps are done.
    bool stands_before(const Instruction& instruction) const {
        const int address = instruction.target.addresses[0];
        if (instruction.unit == Unit::from_pes && instruction.target.kind == Kind::l1bm)
            return meet(sources_, {address, longs_per_l1b(instruction)}, L1BM_LONGS);
        if (instruction.unit != Unit::l2bm || reads_l1bms(instruction)) return false;
        return meet(sources_, {address, longs_per_l1b(instruction)}, L1BM_LONGS) ||
               meet(targets_, {instruction.sources[0].addresses[0], longs_of_l2bm(instruction)}, L2BM_LONGS);
    }

    void add(const Instruction& instruction) {
        sources_.push_back({instruction.sources[0].addresses[0], longs_per_l1b(instruction)});
        targets_.push_back({instruction.target.addresses[0], longs_of_l2bm(instruction)});
    }

    void clear() {
        sources_.clear();
        targets_.clear();
    }

   private:
    std::vector<Range> sources_, targets_;
};

std::vector<bool> stretch_starts(const Program& program, int first, int last) {
    std::vector<bool> starts(std::size_t(last - first + 1));
    Waiting waiting;
    const auto begin = [&](int number) {
        starts[std::size_t(number - first)] = true;
        waiting.clear();
    };
    for (int number = first; number < last; ++number) {
        const Line& line = program.lines[number];
        if (line.kind != LineKind::step) begin(number + 1);
        for (int i = 0; i < line.instructions; ++i)
            if (waiting.stands_before(program.instructions[line.first_instruction + i])) begin(number);
        for (int i = 0; i < line.instructions; ++i) {
            const Instruction& instruction = program.instructions[line.first_instruction + i];
            if (!reads_l1bms(instruction)) continue;
            waiting.add(instruction);
            if (instruction.target.kind == Kind::l1bm) begin(number + 1);
        }
    }
    return starts;
}

}  // namespace haribote
