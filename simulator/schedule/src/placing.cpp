// The inner loop of the list scheduler (simulator/schedule/list_scheduler.py): one group after another, each at the
// first step where it fits. It gives the starts that the loop in Python gives.
// Without the standard library's containers: it is compiled in a tenth of a second, before a first schedule.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace haribote {
namespace {

using i64 = int64_t;
using u64 = uint64_t;

// What a group asks for. Times count from its start; a mark of -1 is none.
struct Set {
    i64 mark, time;
};
struct Bar {
    i64 mark, unless, beside, time;
};
struct Edge {
    i64 other, least;
};

// Entries of several groups, one group after another: those of group g begin at first[g] and end before first[g + 1].
template <typename Entry>
struct Rows {
    const i64* first;
    const Entry* entries;
    const Entry* begin(i64 group) const { return entries + first[group]; }
    const Entry* end(i64 group) const { return entries + first[group + 1]; }
};

// The steps of the new program while it is filled: of each mark a bit for every step.
class Table {
   public:
    explicit Table(i64 marks) : marks_(marks) { grow(64); }
    ~Table() { free(bits_); }

    void set(i64 mark, i64 step) {
        if (step / 64 >= words_) grow(2 * (step / 64 + 1));
        bits_[mark * words_ + step / 64] |= u64(1) << (step % 64);
    }

    // The first step, not before `first`, where a group with these bars can begin.
    i64 fit(const Bar* begin, const Bar* end, i64 first) const {
        for (;; first += 64) {
            u64 closed = 0;
            for (const Bar* bar = begin; bar != end; ++bar) {
                u64 here = from(bar->mark, first + bar->time);
                if (here && bar->unless >= 0) here &= ~from(bar->unless, first + bar->time);
                if (here && bar->beside >= 0) here &= from(bar->beside, first + bar->time);
                closed |= here;
            }
            if (~closed) return first + __builtin_ctzll(~closed);
        }
    }

   private:
    // 64 steps from this one on.
    u64 from(i64 mark, i64 step) const {
        const i64 word = step / 64, shift = step % 64;
        if (word >= words_) return 0;
        const u64* row = bits_ + mark * words_;
        const u64 low = row[word] >> shift;
        return shift && word + 1 < words_ ? low | row[word + 1] << (64 - shift) : low;
    }

    void grow(i64 words) {
        u64* bits = static_cast<u64*>(calloc(size_t(marks_ * words) + 1, sizeof(u64)));
        for (i64 mark = 0; words_ && mark < marks_; ++mark)
            memcpy(bits + mark * words, bits_ + mark * words_, size_t(words_) * sizeof(u64));
        free(bits_);
        bits_ = bits;
        words_ = words;
    }

    i64 marks_, words_ = 0;
    u64* bits_ = nullptr;
};

// Groups that may come next, the one of least priority first; of several, the one of the least number (a binary heap).
class Ready {
   public:
    Ready(i64 groups, const double* priority)
        : heap_(static_cast<i64*>(malloc(size_t(groups + 1) * sizeof(i64)))), priority_(priority) {}
    ~Ready() { free(heap_); }

    bool empty() const { return !size_; }

    void push(i64 group) {
        i64 place = size_++;
        for (; place && before(group, heap_[(place - 1) / 2]); place = (place - 1) / 2)
            heap_[place] = heap_[(place - 1) / 2];
        heap_[place] = group;
    }

    i64 pop() {
        const i64 first = heap_[0], last = heap_[--size_];
        i64 place = 0;
        for (i64 child = 1; child < size_; child = 2 * place + 1) {
            if (child + 1 < size_ && before(heap_[child + 1], heap_[child])) ++child;
            if (!before(heap_[child], last)) break;
            heap_[place] = heap_[child];
            place = child;
        }
        heap_[place] = last;
        return first;
    }

   private:
    bool before(i64 one, i64 other) const {
        return priority_[one] != priority_[other] ? priority_[one] < priority_[other] : one < other;
    }

    i64* heap_;
    const double* priority_;
    i64 size_ = 0;
};

}  // namespace
}  // namespace haribote

#pragma GCC visibility push(default)
extern "C" {

// Starts of all groups. Of those whose predecessors are placed, the one of least priority is next; of several, the one
// of the least number. earliest: before which none may begin; it is changed. missing: predecessors; it is changed.
void haribote_place(int64_t groups, int64_t marks, const int64_t* set_first, const haribote::Set* sets,
                    const int64_t* bar_first, const haribote::Bar* bars, const int64_t* edge_first,
                    const haribote::Edge* edges, const double* priority, int64_t* earliest, int64_t* missing,
                    int64_t* starts) {
    using namespace haribote;
    const Rows<Set> set_rows{set_first, sets};
    const Rows<Bar> bar_rows{bar_first, bars};
    const Rows<Edge> edge_rows{edge_first, edges};
    Ready ready(groups, priority);
    for (i64 group = 0; group < groups; ++group)
        if (!missing[group]) ready.push(group);
    Table table(marks);
    while (!ready.empty()) {
        const i64 group = ready.pop();
        const i64 start = starts[group] = table.fit(bar_rows.begin(group), bar_rows.end(group), earliest[group]);
        for (const Set* set = set_rows.begin(group); set != set_rows.end(group); ++set)
            table.set(set->mark, start + set->time);
        for (const Edge* edge = edge_rows.begin(group); edge != edge_rows.end(group); ++edge) {
            if (earliest[edge->other] < start + edge->least) earliest[edge->other] = start + edge->least;
            if (!--missing[edge->other]) ready.push(edge->other);
        }
    }
}
}
#pragma GCC visibility pop
