// Runs the lines of an encoded program. PE steps stay inside one L2B and local moves inside one group, so threads work
// on different groups and meet only at the moves that connect groups.
#include <atomic>
#include <thread>

#include "mau.hpp"
#include "moves.hpp"

namespace haribote {

struct Program {
    const Line* lines;
    const Instruction* instructions;
    const Store* stores;
};

constexpr int MAX_INSTRUCTIONS = 8;  // of a step; the assembler admits one per unit

inline Result compute(Block& block, const Instruction& instruction) {
    switch (instruction.unit) {
        case Unit::alu: return alu(block, instruction);
        case Unit::mau: return mau(block, instruction);
        case Unit::mau_write: return matrix_write(block, instruction);
        case Unit::mau_read: return matrix_read(block, instruction);
        case Unit::to_pes: return to_pes(block, instruction);
        case Unit::from_pes: return from_pes(block, instruction);
        case Unit::l2bm: return l2bm(block, instruction);
    }
    __builtin_trap();
}

// Writes of what is no PE memory.
inline void store_elsewhere(Block& block, const Instruction& instruction, const Result& result) {
    if (instruction.unit == Unit::mau_write) store_matrix(block, instruction, result);
    if (instruction.unit == Unit::from_pes) store_blocks(block, instruction, result);
    if (instruction.unit == Unit::l2bm) store_l2bm(block, instruction, result);
}

inline Path path_of(Unit unit) {
    return unit == Unit::alu ? Path::aluf : unit == Unit::mau ? Path::mauf : unit == Unit::to_pes ? Path::lbf : Path::mreadf;
}

// One step: read everything, compute, then write everything (isa.md, section 2).
void run_step(Block& block, const Program& program, const Line& line) {
    const Instruction* instructions = program.instructions + line.first_instruction;
    Result results[MAX_INSTRUCTIONS];
    for (int i = 0; i < line.instructions; ++i) results[i] = compute(block, instructions[i]);
    for (int i = 0; i < line.instructions; ++i) store_elsewhere(block, instructions[i], results[i]);
    for (int i = 0; i < line.stores; ++i) {
        const Store& store = program.stores[line.first_store + i];
        perform(block, store, results[store.instruction]);
    }
    for (int i = 0; i < line.instructions; ++i) {
        const Unit unit = instructions[i].unit;
        const bool has_path = unit != Unit::mau_write && unit != Unit::from_pes && unit != Unit::l2bm;
        if (instructions[i].latch && has_path) latch(block, path_of(unit), results[i]);
    }
    block.arena.reset();
}

// Lines without a global move, in one group: the steps between two moves run in one L2B after the other.
void run_group(const Machine& machine, const Program& program, int first, int last, int group, Arena& arena, Longs& buffer) {
    for (int line = first; line < last;) {
        if (program.lines[line].kind == LineKind::local_move) {
            local_move(machine, program.lines[line++], group, buffer);
            continue;
        }
        int end = line;
        while (end < last && program.lines[end].kind == LineKind::step) ++end;
        for (int c = 0; c < L2BS / GROUPS; ++c) {
            Block block{machine, 2 * group + c, arena};
            for (int step = line; step < end; ++step) run_step(block, program, program.lines[step]);
        }
        line = end;
    }
}

// Where threads wait for each other: a short time busily, then giving way to other processes.
class Barrier {
   public:
    explicit Barrier(int threads) : threads_(threads) {}
    void wait() {
        const int round = round_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
            return;
        }
        for (int turn = 0; round_.load(std::memory_order_acquire) == round; ++turn)
            if (turn > SPINS) std::this_thread::yield();
    }

   private:
    static constexpr int SPINS = 2000;
    const int threads_;
    std::atomic<int> arrived_{0}, round_{0};
};

void run_thread(const Machine& machine, const Program& program, int first, int last, int thread, int threads, Barrier& barrier) {
    Arena arena(ARENA_BYTES);
    Longs whole, parts;
    for (int line = first; line < last;) {
        int end = line;
        while (end < last && program.lines[end].kind != LineKind::global_move) ++end;
        for (int group = thread; group < GROUPS; group += threads)
            run_group(machine, program, line, end, group, arena, whole);
        line = end;
        if (line == last) return;
        barrier.wait();
        for (; line < last && program.lines[line].kind == LineKind::global_move; ++line)
            if (thread == 0) global_move(machine, program.lines[line], whole, parts);
        barrier.wait();
    }
}

}  // namespace haribote

extern "C" {

// Run the lines first to last - 1 on `threads` (1, 2 or 4) threads.
void haribote_run(const haribote::Machine* machine, const haribote::Program* program, int first, int last, int threads) {
    using namespace haribote;
    Barrier barrier(threads);
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread)
        others.emplace_back([=, &barrier] { run_thread(*machine, *program, first, last, thread, threads, barrier); });
    run_thread(*machine, *program, first, last, 0, threads, barrier);
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
