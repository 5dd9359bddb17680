// The inner loop of the list scheduler (simulator/schedule/list_scheduler.py): one group after another, each at the
// first step where it fits. It gives the starts that the loop in Python gives.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace haribote {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

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
    explicit Table(i64 marks) : steps_(std::size_t(marks)) {}

    void set(i64 mark, i64 step) {
        auto& words = steps_[std::size_t(mark)];
        const std::size_t word = std::size_t(step) / 64;
        if (words.size() <= word) words.resize(2 * word + 1);
        words[word] |= u64(1) << (step % 64);
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
        const auto& words = steps_[std::size_t(mark)];
        const std::size_t word = std::size_t(step) / 64, shift = std::size_t(step) % 64;
        if (word >= words.size()) return 0;
        const u64 low = words[word] >> shift;
        return shift && word + 1 < words.size() ? low | words[word + 1] << (64 - shift) : low;
    }

    std::vector<std::vector<u64>> steps_;
};

}  // namespace
}  // namespace haribote

#pragma GCC visibility push(default)
extern "C" {

// Starts of all groups. Of those whose predecessors are placed, the one of least priority is next; of several, the one
// of the least number. earliest: before which none may begin; it is changed. missing: predecessors; it is changed.
void haribote_place(std::int64_t groups, std::int64_t marks, const std::int64_t* set_first, const haribote::Set* sets,
                    const std::int64_t* bar_first, const haribote::Bar* bars, const std::int64_t* edge_first,
                    const haribote::Edge* edges, const double* priority, std::int64_t* earliest, std::int64_t* missing,
                    std::int64_t* starts) {
    using namespace haribote;
    const Rows<Set> set_rows{set_first, sets};
    const Rows<Bar> bar_rows{bar_first, bars};
    const Rows<Edge> edge_rows{edge_first, edges};
    using Entry = std::pair<double, i64>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
    for (i64 group = 0; group < groups; ++group)
        if (!missing[group]) ready.emplace(priority[group], group);
    Table table(marks);
    while (!ready.empty()) {
        const i64 group = ready.top().second;
        ready.pop();
        const i64 start = starts[group] = table.fit(bar_rows.begin(group), bar_rows.end(group), earliest[group]);
        for (const Set* set = set_rows.begin(group); set != set_rows.end(group); ++set)
            table.set(set->mark, start + set->time);
        for (const Edge* edge = edge_rows.begin(group); edge != edge_rows.end(group); ++edge) {
            if (earliest[edge->other] < start + edge->least) earliest[edge->other] = start + edge->least;
            if (!--missing[edge->other]) ready.emplace(priority[edge->other], edge->other);
        }
    }
}
}
#pragma GCC visibility pop
