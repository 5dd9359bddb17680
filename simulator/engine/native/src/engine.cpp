// Runs the lines of an encoded program. PE steps stay inside one L2B and local moves inside one group, so threads work
// on different groups and meet only at the moves that connect groups. All steps between two moves run in one L2B after
// the other, so that its words stay in the cache.
#include <atomic>
#include <memory>
#include <thread>

#include "latches.hpp"
#include "longs.hpp"
#include "units.hpp"

namespace haribote {

constexpr int MAX_INSTRUCTIONS = 8;  // of a step; the assembler admits one per unit

inline Result mau(Block& block, const Instruction& instruction) {
    const Mau op = Mau(instruction.code);
    return op == Mau::mmul || op == Mau::mfma ? product(block, instruction) : vector(block, instruction);
}

inline Result compute(Block& block, const Instruction& instruction) {
    switch (instruction.unit) {
        case Unit::alu: return alu(block, instruction);
        case Unit::mau: return mau(block, instruction);
        case Unit::mau_write: return matrix_write(block, instruction);
        case Unit::mau_read: return matrix_read(block, instruction);
        case Unit::to_pes: return to_pes(block, instruction);
        case Unit::from_pes: return from_pes(block, instruction);
        case Unit::l2bm: return Result{};  // see transfer_l2bm
    }
    __builtin_trap();
}

// Writes of what is no PE memory.
inline void store_elsewhere(Block& block, const Instruction& instruction, const Result& result) {
    if (instruction.unit == Unit::mau_write) store_matrix(block, instruction, result);
    if (instruction.unit == Unit::from_pes) store_blocks(block, instruction, result);
}

// One step: read everything, compute, then write everything (isa.md, section 2). placed: see `placements`.
void run_step(Block& block, const Program& program, const Line& line, const Operand* const* placed) {
    const Instruction* instructions = program.instructions + line.first_instruction;
    Result results[MAX_INSTRUCTIONS];
    for (int i = 0; i < line.instructions; ++i) {
        const Operand* into = placed[line.first_instruction + i];
        block.into = into && !is_dynamic(block, *into) ? into : nullptr;
        block.latch = instructions[i].latch ? instructions[i].path : -1;
        results[i] = compute(block, instructions[i]);
    }
    for (int i = 0; i < line.instructions; ++i)
        if (instructions[i].unit == Unit::l2bm) transfer_l2bm(block, instructions[i]);
    for (int i = 0; i < line.instructions; ++i) store_elsewhere(block, instructions[i], results[i]);
    for (int i = 0; i < line.stores; ++i) {
        const Store& store = program.stores[line.first_store + i];
        perform(block, store, results[store.instruction]);
    }
    for (int i = 0; i < line.instructions; ++i) {
        const Instruction& instruction = instructions[i];
        if (instruction.latch && instruction.path >= 0) latch(block, instruction.path, results[i]);
    }
    block.arena.reset();
}

// What several threads know of the lines first to last - 1 before they run.
struct Lines {
    const Program& program;
    const std::vector<const Operand*> placed;  // see placements; of all instructions of the program up to the last line
};

// A stretch of steps in one L2B.
void run_stretch(const Machine& machine, const Lines& lines, int first, int last, int l2b, Workspace& workspace) {
    const Program& program = lines.program;
    Block block{machine, l2b, workspace.arena, workspace.matrices, workspace.latches, {}};
    block.matrices.known[0] = block.matrices.known[1] = false;
    note_bases(block);
    find_latches(block);
    for (int step = first; step < last; ++step) run_step(block, program, program.lines[step], lines.placed.data());
    save_latches(block);
}

// Lines without a global move, in one group: the steps between two moves run in one L2B after the other.
void run_group(const Machine& machine, const Lines& lines, int first, int last, int group, Workspace& workspace,
               Longs& buffer) {
    const Program& program = lines.program;
    for (int line = first; line < last;) {
        if (program.lines[line].kind == LineKind::local_move) {
            local_move(machine, program.lines[line++], group, buffer);
            continue;
        }
        int end = line;
        while (end < last && program.lines[end].kind == LineKind::step) ++end;
        for (int c = 0; c < L2BS / GROUPS; ++c)
            run_stretch(machine, lines, line, end, L2BS / GROUPS * group + c, workspace);
        line = end;
    }
}

// The lines between two global moves, and the global moves after them.
struct Phase {
    int first, moves, last;
};

std::vector<Phase> phases_of(const Program& program, int first, int last) {
    std::vector<Phase> phases;
    while (first < last) {
        Phase phase{first, first, first};
        while (phase.moves < last && program.lines[phase.moves].kind != LineKind::global_move) ++phase.moves;
        phase.last = phase.moves;
        while (phase.last < last && program.lines[phase.last].kind == LineKind::global_move) ++phase.last;
        phases.push_back(phase);
        first = phase.last;
    }
    return phases;
}

// Hands the groups of each phase to whichever thread is free; the one that finishes a phase does its global moves. So
// no thread waits for another that the system has put aside, unless that one holds a group.
class Schedule {
   public:
    Schedule(const Machine& machine, const Program& program, int first, int last)
        : machine_(machine),
          lines_{program, placements(program, first, last)},
          phases_(phases_of(program, first, last)) {}

    void work(int thread) {
        const auto workspace = std::make_unique<Workspace>();
        Longs whole, parts;
        for (int turn = 0;;) {
            u32 state = state_.load(std::memory_order_acquire);
            const u32 number = state / ALL, free = state % ALL;
            if (number == phases_.size()) return;
            if (free == 0) {
                if (++turn > SPINS) std::this_thread::yield();
                continue;
            }
            // Threads start at different ends, so that a group stays with the cache that has its memories.
            const int group = thread % 2 ? 31 - __builtin_clz(free) : __builtin_ctz(free);
            if (!state_.compare_exchange_weak(state, state & ~(1u << group), std::memory_order_acq_rel)) continue;
            turn = 0;
            const Phase& phase = phases_[number];
            run_group(machine_, lines_, phase.first, phase.moves, group, *workspace, whole);
            if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 < GROUPS) continue;
            for (int line = phase.moves; line < phase.last; ++line)
                global_move(machine_, lines_.program.lines[line], whole, parts);
            done_.store(0, std::memory_order_relaxed);
            state_.store((number + 1) * ALL + (ALL - 1), std::memory_order_release);
        }
    }

   private:
    static constexpr int SPINS = 2000;  // before other processes are given way
    static constexpr u32 ALL = 1u << GROUPS;
    const Machine& machine_;
    const Lines lines_;
    const std::vector<Phase> phases_;
    std::atomic<u32> state_{ALL - 1};  // number of the phase, then a bit for each group that nobody has taken
    std::atomic<int> done_{0};         // groups finished
};

}  // namespace haribote

#pragma GCC visibility push(default)
extern "C" {

// Run the lines first to last - 1 on 1 to 4 threads.
void haribote_run(const haribote::Machine* machine, const haribote::Program* program, int first, int last,
                  int threads) {
    using namespace haribote;
    Schedule schedule(*machine, *program, first, last);
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread)
        others.emplace_back([&schedule, thread] { schedule.work(thread); });
    schedule.work(0);
    for (auto& other : others) other.join();
}

// Sizes of the records that both sides know: Operand, Store, Instruction, Line, Machine, Program.
void haribote_record_sizes(int sizes[6]) {
    using namespace haribote;
    const std::size_t all[6] = {sizeof(Operand), sizeof(Store),   sizeof(Instruction),
                                sizeof(Line),    sizeof(Machine), sizeof(Program)};
    for (int i = 0; i < 6; ++i) sizes[i] = int(all[i]);
}
}
#pragma GCC visibility pop
