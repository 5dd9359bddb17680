// Transfers between PEs and L1BM (isa.md, section 8).
//
// A transfer of the L1BM moves one block of long words per L1B, ordered cycle, MAB (those that differ), long word of
// the datum, PE. The turnaround register keeps such a block.
#include "longs.hpp"
#include "reduce.hpp"
#include "units.hpp"

namespace haribote {

inline u64* turnaround_of(const Block& block, int l1b) {
    return block.machine.turnaround + std::size_t(block.l2b * L1BS + l1b) * TURNAROUND_LONGS;
}

inline u64* l1bm_of(const Block& block, int l1b) { return l1bm_of(block.machine, block.l2b, l1b); }

// Which of the different parts of a cycle's block the MAB gets; `l1bmd+n` gives MAB m what MAB m - n would get.
inline int part_of(const Instruction& instruction, int mab) {
    if (instruction.mabs == 16) return (mab - instruction.shift + 2 * MABS) % MABS;
    return mab / (MABS / std::max(instruction.mabs, 1));
}

Result to_pes(Block& block, const Instruction& instruction) {
    Result result{zero_datum()};
    const Operand& source = instruction.sources[0];
    const int wide = source.words / 2, count = longs_per_l1b(instruction), mabs = std::max(instruction.mabs, 1);
    u32* rows[CYCLES][WORDS];
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int word = 0; word < 2 * wide; ++word)
            result.datum.rows[cycle][word] = rows[cycle][word] = block.result_row(cycle, word);
    int parts[MABS];
    for (int mab = 0; mab < MABS; ++mab) parts[mab] = part_of(instruction, mab);
    for (int l1b = 0; l1b < L1BS; ++l1b) {
        u64 longs[TURNAROUND_LONGS];
        if (source.kind == Kind::l1bm)
            load_longs(l1bm_of(block, l1b), L1BM_LONGS, source.addresses[0], count, longs);
        else
            std::memcpy(longs, turnaround_of(block, l1b), std::size_t(count) * sizeof(u64));
        for (int cycle = 0; cycle < CYCLES; ++cycle)
            for (int w = 0; w < wide; ++w) {
                u32 high[MABS][PES], low[MABS][PES];
                for (int part = 0; part < mabs; ++part)
                    for (int p = 0; p < PES; ++p) {
                        const u64 value = instruction.mabs ? longs[((cycle * mabs + part) * wide + w) * PES + p]
                                                           : longs[4 * w + cycle];
                        high[part][p] = u32(value >> 32);
                        low[part][p] = u32(value);
                    }
                for (int mab = 0; mab < MABS; ++mab) {
                    const int pe = l1b * L1B_PES + mab * PES;
                    std::memcpy(rows[cycle][2 * w] + pe, high[parts[mab]], PES * sizeof(u32));
                    std::memcpy(rows[cycle][2 * w + 1] + pe, low[parts[mab]], PES * sizeof(u32));
                }
            }
    }
    flush(block, result, instruction.flush, false);
    return result;
}

// The inputs that are combined, one element from each MAB that takes part; then the words of the block.
template <class F, class Stored, class Output>
inline u64 reduce_pe_elements(const Instruction& instruction, const Datum& datum, int cycle, int w, int wide,
                              int first_mab, int inputs, int pe) {
    constexpr int per_long = 64 / F::width;  // elements of a long word before narrowing
    const int count = wide * per_long;
    u64 result = 0;
    for (int index = 0; index < count; ++index) {
        const int bit = index * Output::width;  // of the packed result, from its most significant end
        if (bit / 64 != w) continue;
        typename F::U values[MAX_INPUTS];
        for (int i = 0; i < inputs; ++i) {
            const int number = (first_mab + i) * PES + pe;
            typename Stored::U bits;
            const u32* const* words = datum.rows[cycle];
            if constexpr (Stored::width == 64)
                bits = u64(words[2 * index][number]) << 32 | words[2 * index + 1][number];
            else if constexpr (Stored::width == 32)
                bits = words[index][number];
            else
                bits = u16(words[index / 2][number] >> (index % 2 ? 0 : 16));
            if constexpr (F::width == Stored::width)
                values[i] = bits;
            else
                values[i] = widen<Stored, F>(bits);
        }
        const Stages stages = inputs == 16 ? Stages{4, 4} : Stages{4, 1};
        typename Output::U value;
        if (is_float(instruction.letter))
            value = reduce_floats<F, Output>(instruction.reduction, values, stages);
        else
            value = typename Output::U(reduce_integers<typename F::U>(instruction.reduction, values, inputs));
        result |= u64(value) << (64 - Output::width - bit % 64);
    }
    return result;
}

// Which precisions a reduction reads, sums and gives: halves are summed on the single-precision circuit.
template <class Function>
inline u64 with_formats(const Instruction& instruction, Function f) {
    const bool halves_on_singles = instruction.letter == Letter::h && instruction.reduction == Reduction::fadd;
    const bool widens = instruction.sources[0].widen || halves_on_singles;
    const bool narrows = instruction.narrow || halves_on_singles;
    const int width = halves_on_singles ? 32 : element_width(instruction.letter);
    if (width == 16) return f(Half{}, Half{}, Half{});
    if (width == 32) {
        if (widens) return narrows ? f(Single{}, Half{}, Half{}) : f(Single{}, Half{}, Single{});
        return narrows ? f(Single{}, Single{}, Half{}) : f(Single{}, Single{}, Single{});
    }
    if (widens) return narrows ? f(Double{}, Single{}, Single{}) : f(Double{}, Single{}, Double{});
    return narrows ? f(Double{}, Double{}, Single{}) : f(Double{}, Double{}, Double{});
}

inline u64 reduced(const Instruction& instruction, const Datum& datum, int cycle, int w, int wide, int l1b, int part,
                   int pe) {
    const int share = MABS / instruction.mabs, first_mab = l1b * MABS + part * share;
    return with_formats(instruction, [&](auto f, auto stored, auto output) {
        return reduce_pe_elements<decltype(f), decltype(stored), decltype(output)>(instruction, datum, cycle, w, wide,
                                                                                   first_mab, share, pe);
    });
}

// The commonest reduction, sums of singles: one word of the datum of a cycle over the MABs of every L1B.
// out: [l1b][part][pe].
inline void sum_mabs(const u32* row, int parts, u32* out) {
    constexpr int quarters = L1BS * 4 * PES;  // sums of a first stage: [l1b][quarter][pe]
    u32 inputs[4][quarters], sums[quarters], regrouped[4][L1BS * PES];
    for (int i = 0; i < 4; ++i)
        for (int quarter = 0; quarter < L1BS * 4; ++quarter)
            std::memcpy(inputs[i] + quarter * PES, row + (4 * quarter + i) * PES, PES * sizeof(u32));
    const u32* pointers[4] = {inputs[0], inputs[1], inputs[2], inputs[3]};
    if (parts == 4) return sum_arrays(pointers, 4, quarters, out);
    sum_arrays(pointers, 4, quarters, sums);
    for (int i = 0; i < 4; ++i) {
        for (int l1b = 0; l1b < L1BS; ++l1b)
            std::memcpy(regrouped[i] + l1b * PES, sums + (4 * l1b + i) * PES, PES * sizeof(u32));
        pointers[i] = regrouped[i];
    }
    sum_arrays(pointers, 4, L1BS * PES, out);
}

inline bool sums_singles(const Instruction& instruction) {
    return instruction.reduction == Reduction::fadd && instruction.letter == Letter::f && !instruction.narrow &&
           !instruction.sources[0].widen;
}

// Where the long words of one cycle and long word of the datum lie in the block of an L1B: four for each part.
struct Places {
    u64* first;
    int distance;  // from part to part

    u64* at(int l1b, int part) const { return first + l1b * TURNAROUND_LONGS + part * distance; }
};

inline void put_longs(const u32* high, const u32* low, u64* out) {
    for (int pe = 0; pe < PES; ++pe) out[pe] = u64(high[pe]) << 32 | low[pe];
}

// Sums of singles over the MABs of a part.
inline void send_sums(const u32* const* words, int parts, Places out) {
    u32 high[L1BS * 4 * PES], low[L1BS * 4 * PES];
    sum_mabs(words[0], parts, high);
    sum_mabs(words[1], parts, low);
    for (int l1b = 0; l1b < L1BS; ++l1b)
        for (int part = 0; part < parts; ++part) {
            const int first = (l1b * parts + part) * PES;
            put_longs(high + first, low + first, out.at(l1b, part));
        }
}

// The long words of one MAB of each part as they are.
inline void send_plain(const Instruction& instruction, const u32* const* words, Places out) {
    const int share = MABS / instruction.mabs;
    for (int l1b = 0; l1b < L1BS; ++l1b)
        for (int part = 0; part < instruction.mabs; ++part) {
            const int first = (l1b * MABS + part * share + instruction.mab) * PES;
            put_longs(words[0] + first, words[1] + first, out.at(l1b, part));
        }
}

// The blocks that the PEs send, before any shift: [l1b][TURNAROUND_LONGS].
Result from_pes(Block& block, const Instruction& instruction) {
    Result result{};
    const Datum datum = read(block, instruction.sources[0]);
    const int wide = instruction.target.words / 2, parts = instruction.mabs;
    result.longs = block.arena.take<u64>(std::size_t(L1BS) * TURNAROUND_LONGS);
    for (int cycle = 0; cycle < CYCLES; ++cycle)
        for (int w = 0; w < wide; ++w) {
            const Places out{result.longs + (cycle * parts * wide + w) * PES, wide * PES};
            const u32* const* words = datum.rows[cycle] + 2 * w;
            if (instruction.reduction == Reduction::none)
                send_plain(instruction, words, out);
            else if (sums_singles(instruction))
                send_sums(words, parts, out);
            else
                for (int l1b = 0; l1b < L1BS; ++l1b)
                    for (int part = 0; part < parts; ++part)
                        for (int pe = 0; pe < PES; ++pe)
                            out.at(l1b, part)[pe] = reduced(instruction, datum, cycle, w, wide, l1b, part, pe);
        }
    return result;
}

void store_blocks(Block& block, const Instruction& instruction, const Result& result) {
    const Operand& target = instruction.target;
    const int count = longs_per_l1b(instruction);
    u64 turned[TURNAROUND_LONGS];
    for (int l1b = 0; l1b < L1BS; ++l1b) {
        const u64* longs = result.longs + l1b * TURNAROUND_LONGS;
        if (instruction.latch) std::memcpy(turnaround_of(block, l1b), longs, std::size_t(count) * sizeof(u64));
        if (target.kind != Kind::l1bm) continue;
        if (instruction.shift) {
            const int shift = (instruction.shift + MABS) % MABS;
            for (int index = 0; index < count; ++index) {
                const int cycle = index / L1B_PES, rest = index % L1B_PES;
                turned[cycle * L1B_PES + (rest + shift * PES) % L1B_PES] = longs[index];
            }
            longs = turned;
        }
        store_longs(l1bm_of(block, l1b), L1BM_LONGS, target.addresses[0], count, longs);
    }
}

}  // namespace haribote
