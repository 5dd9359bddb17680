// MV instructions: between DRAM, PDM and L2BM (isa.md, section 6). Sizes and addresses are in long words.
#include "longs.hpp"
#include "reduce.hpp"
#include "units.hpp"

namespace haribote {

inline u64* pdm_of(const Machine& machine, int group) { return machine.pdm + std::size_t(group) * PDM_LONGS; }

// `count` long words of one memory: of the group's DRAM or PDM, or of one L2BM.
inline void load(const Machine& machine, const Operand& operand, int group, int l2b, i64 count, u64* out) {
    if (operand.kind == Kind::pdm)
        return load_longs(pdm_of(machine, group), PDM_LONGS, operand.addresses[0], int(count), out);
    if (operand.kind == Kind::l2bm)
        return load_longs(l2bm_of(machine, l2b), L2BM_LONGS, operand.addresses[0], int(count), out);
    for (i64 done = 0; done < count;) {
        const i64 address = (operand.addresses[0] + done) % DRAM_LONGS, inside = address % PAGE_LONGS;
        const i64 length = std::min(count - done, PAGE_LONGS - inside);
        const u64* page = machine.pages[group * (DRAM_LONGS / PAGE_LONGS) + address / PAGE_LONGS];
        if (page)
            std::copy_n(page + inside, length, out + done);
        else
            std::fill_n(out + done, length, 0);
        done += length;
    }
}

// The pages of DRAM that a program writes exist before it runs.
inline void save(const Machine& machine, const Operand& operand, int group, int l2b, i64 count, const u64* values) {
    if (operand.kind == Kind::pdm)
        return store_longs(pdm_of(machine, group), PDM_LONGS, operand.addresses[0], int(count), values);
    if (operand.kind == Kind::l2bm)
        return store_longs(l2bm_of(machine, l2b), L2BM_LONGS, operand.addresses[0], int(count), values);
    for (i64 done = 0; done < count;) {
        const i64 address = (operand.addresses[0] + done) % DRAM_LONGS, inside = address % PAGE_LONGS;
        const i64 length = std::min(count - done, PAGE_LONGS - inside);
        std::copy_n(values + done, length,
                    machine.pages[group * (DRAM_LONGS / PAGE_LONGS) + address / PAGE_LONGS] + inside);
        done += length;
    }
}

// Pieces of 16 long words: piece i of part g is piece parts * i + g of the whole. deal: whole to parts, else back.
inline void interleave(u64* whole, u64* parts, int count, i64 size, bool deal) {
    const i64 pieces = size / 16 / count;
    for (i64 i = 0; i < pieces; ++i)
        for (int part = 0; part < count; ++part) {
            u64 *a = whole + 16 * (count * i + part), *b = parts + 16 * (pieces * part + i);
            deal ? std::copy_n(a, 16, b) : std::copy_n(b, 16, a);
        }
}

// mvp inside one group: every group in turn where none is named.
inline void copy_in_group(const Machine& machine, const Line& line, int group, Longs& buffer) {
    if (line.source.index >= 0 && line.source.index != group) return;
    buffer.resize(std::size_t(line.size));
    load(machine, line.source, group, 2 * group + line.source.words, line.size, buffer.data());
    save(machine, line.destination, group, 2 * group + line.destination.words, line.size, buffer.data());
}

// mvb2 and mvr2: one group's DRAM and its two L2BMs.
inline void pair_in_group(const Machine& machine, const Line& line, int group, Longs& buffer) {
    const std::size_t size = std::size_t(line.size);
    buffer.resize(2 * size);
    if (line.move == MoveOp::mvb2) {
        load(machine, line.source, group, 0, line.size, buffer.data());
        for (int c = 0; c < 2; ++c) save(machine, line.destination, group, 2 * group + c, line.size, buffer.data());
        return;
    }
    for (int c = 0; c < 2; ++c) load(machine, line.source, group, 2 * group + c, line.size, buffer.data() + c * size);
    for (std::size_t a = 0; a < size; ++a) {
        const u64 inputs[2] = {buffer[a], buffer[size + a]};
        buffer[a] = reduce_longs(line.reduction, line.letter, inputs, {2, 1});
    }
    save(machine, line.destination, group, 0, line.size, buffer.data());
}

// A move that stays within each group.
void local_move(const Machine& machine, const Line& line, int group, Longs& buffer) {
    if (line.move == MoveOp::mvp)
        copy_in_group(machine, line, group, buffer);
    else
        pair_in_group(machine, line, group, buffer);
}

// mvb, mvb4: whole = the four DRAMs' pieces of 16 in turn.
inline void broadcast(const Machine& machine, const Line& line, Longs& whole, Longs& parts) {
    const i64 size = line.size;
    if (line.source.kind == Kind::pdm) {
        whole.resize(std::size_t(size));
        load(machine, line.source, line.source.index, 0, size, whole.data());
        for (int l2b = 0; l2b < L2BS; ++l2b) save(machine, line.destination, 0, l2b, size, whole.data());
        return;
    }
    const int kinds = line.move == MoveOp::mvb4 ? 2 : 1;  // of L2B that get different data
    whole.resize(std::size_t(size * kinds));
    parts.resize(std::size_t(size * kinds));
    const i64 share = size * kinds / GROUPS;
    for (int group = 0; group < GROUPS; ++group)
        load(machine, line.source, group, 0, share, parts.data() + group * share);
    for (i64 i = 0; i < size / 64; ++i)
        for (int l = 0; l < kinds; ++l)
            for (int group = 0; group < GROUPS; ++group)
                std::copy_n(parts.data() + group * share + 16 * (kinds * i + l), 16,
                            whole.data() + l * size + 64 * i + 16 * group);
    for (int l2b = 0; l2b < L2BS; ++l2b)
        save(machine, line.destination, 0, l2b, size, whole.data() + (kinds == 2 ? l2b % 2 : 0) * size);
}

// mvd: a PDM dealt out to the DRAMs or L2BMs, or gathered from them.
inline void deal(const Machine& machine, const Line& line, Longs& whole, Longs& parts) {
    const bool out = line.source.kind == Kind::pdm;
    const Operand &pdm = out ? line.source : line.destination, &others = out ? line.destination : line.source;
    const bool drams = others.kind == Kind::dram;
    const int count = drams ? GROUPS : L2BS;
    const i64 size = drams ? line.size : i64(L2BS) * line.size, share = size / count;
    whole.resize(std::size_t(size));
    parts.resize(std::size_t(size));
    if (out) {
        load(machine, pdm, pdm.index, 0, size, whole.data());
        interleave(whole.data(), parts.data(), count, size, true);
        for (int part = 0; part < count; ++part)
            save(machine, others, part, part, share, parts.data() + part * share);
        return;
    }
    for (int part = 0; part < count; ++part) load(machine, others, part, part, share, parts.data() + part * share);
    interleave(whole.data(), parts.data(), count, size, false);
    save(machine, pdm, pdm.index, 0, size, whole.data());
}

// mvr, mvr4: all L2BMs combined, or for each l the four groups' L2B l.
inline void reduce(const Machine& machine, const Line& line, Longs& whole, Longs& parts) {
    const i64 size = line.size;
    const int kinds = line.move == MoveOp::mvr4 ? 2 : 1, inputs = L2BS / kinds;
    parts.resize(std::size_t(L2BS * size));
    whole.resize(std::size_t(6 * size));  // results, and four sums of a first stage
    for (int l2b = 0; l2b < L2BS; ++l2b) load(machine, line.source, 0, l2b, size, parts.data() + l2b * size);
    for (int l = 0; l < kinds; ++l) {
        const u64* rows[L2BS];
        for (int i = 0; i < inputs; ++i) rows[i] = parts.data() + (i * kinds + l) * size;
        const Stages stages = kinds == 2 ? Stages{4, 1} : Stages{2, 4};
        reduce_arrays(line.reduction, line.letter, rows, stages, std::size_t(size), whole.data() + l * size,
                      whole.data() + kinds * size);
    }
    if (line.destination.kind == Kind::pdm)
        return save(machine, line.destination, line.destination.index, 0, size, whole.data());
    const i64 share = size * kinds / GROUPS;
    for (i64 i = 0; i < size / 64; ++i)
        for (int l = 0; l < kinds; ++l)
            for (int group = 0; group < GROUPS; ++group)
                std::copy_n(whole.data() + l * size + 64 * i + 16 * group, 16,
                            parts.data() + group * share + 16 * (kinds * i + l));
    for (int group = 0; group < GROUPS; ++group)
        save(machine, line.destination, group, 0, share, parts.data() + group * share);
}

// mvp from one group to another.
inline void copy_across(const Machine& machine, const Line& line, Longs& buffer) {
    const int from = line.source.index, to = line.destination.index;
    buffer.resize(std::size_t(line.size));
    load(machine, line.source, from, 2 * from + line.source.words, line.size, buffer.data());
    save(machine, line.destination, to, 2 * to + line.destination.words, line.size, buffer.data());
}

// A move that connects groups.
void global_move(const Machine& machine, const Line& line, Longs& whole, Longs& parts) {
    switch (line.move) {
        case MoveOp::mvb: case MoveOp::mvb4: return broadcast(machine, line, whole, parts);
        case MoveOp::mvd: return deal(machine, line, whole, parts);
        case MoveOp::mvr: case MoveOp::mvr4: return reduce(machine, line, whole, parts);
        default: return copy_across(machine, line, whole);
    }
}

}  // namespace haribote
