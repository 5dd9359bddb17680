// Who wrote a word, and from which words: the tables of the recording, asked for one word of one unit.
//
// A word is {memory, address, half, unit}; half is 1 for the low word of a long word. Memories without long words: 0.

class Flow {
  constructor(recording) {
    this.recording = recording;
    this.decoded = new Map();
  }

  // The write that gave a word what it holds after `frame`:
  // {word, frame, value, part, cycle, inputs: [{name, word}]}; frame 0 is the start, -1 is never.
  origin(word, frame) {
    const { recording } = this;
    const found = recording.lastWrite(word.memory, word.address, word.unit, frame);
    if (!found) return { word, frame: -1, value: 0, inputs: [] };
    const value = found.words ? found.words[word.half] : null;
    const origin = { word, frame: found.frame, value, inputs: [] };
    for (const part of [...(recording.frames[found.frame].flow ?? [])].reverse()) {
      const made = this.made(part, word, recording.frames[found.frame]);
      if (!made) continue;
      const seen = new Set();
      const inputs = made.inputs.filter(({ name, word: w }) => {
        const key = `${name} ${w.memory} ${w.address} ${w.half} ${w.unit}`;
        return !seen.has(key) && seen.add(key);
      });
      return { ...origin, text: part.o, cycle: made.cycle, inputs };
    }
    return origin;
  }

  // The cycle in which a part made a word, and the words it was made of; null where it did not.
  made(part, word, frame) {
    if (part.u !== undefined && word.memory === "turn") return this.sent({ ...part, t: part.u }, word);
    if (part.p === word.memory) return this.computed(part, word.unit, word.address >> 2, word.address & 3, frame);
    for (const target of part.d) {
      if (target.m !== word.memory) continue;
      if (part.k === "points" && !this.inPes(target.m)) {
        const made = this.moved(part, word);
        if (made) return made;
      } else if (part.k === "up") {
        const made = this.sent(part, word);
        if (made) return made;
      } else if (part.k === "matrix") {
        const inputs = this.recording.tables[part.t][word.address];
        if (inputs) return { cycle: inputs[0]?.[2] ?? null, inputs: this.resolved(part, inputs, word.unit << 2, frame) };
      } else {
        const at = this.datum(target, word, frame);
        if (!at) continue;
        if (target.m === "omr") return this.flags(part, word, frame);
        return this.computed(part, word.unit, ...at, frame);
      }
    }
    return null;
  }

  inPes(memory) {
    return this.recording.memories[memory].level === "pe";
  }

  // Cycle and word of the result that a destination stores at an address, the last cycle first; null for none.
  datum(target, { address, unit }, frame) {
    if (target.m === "omr" || target.m === "bar") return target.e === address ? [3, (target.w ?? 1) - 1] : null;
    for (let cycle = 3; cycle >= 0; cycle--) {
      if (target.c && !target.c.includes(cycle)) continue;
      const first = this.first(target, cycle, unit, frame);
      if (first !== null && address >= first && address < first + target.w) return [cycle, address - first];
    }
    return null;
  }

  // The first address of an operand in a cycle.
  first(operand, cycle, unit, frame) {
    if (operand.a) return operand.a[cycle];
    if (operand.x === undefined) return 4 * cycle; // T and the forwarding paths
    const part = operand.x < 0 ? null : this.recording.part(frame.accesses[operand.x], unit);
    const address = part?.own ? part.own[operand.w * cycle] : NOWHERE;
    return address === NOWHERE ? null : address;
  }

  // A word of the result of an instruction in a PE.
  computed(part, pe, cycle, word, frame) {
    const table = this.recording.tables[part.t];
    const made = part.k === "points"
      ? this.received(part, pe, cycle, word)
      : { cycle, inputs: this.resolved(part, table[((pe & 3) * 4 + cycle) * 4 + word] ?? [], pe & ~3, frame) };
    if (!part.z || !made) return made;
    const flush = { name: part.z.n, word: { memory: "omr", address: part.z.e, half: 0, unit: pe } };
    return { ...made, inputs: [...made.inputs, flush] };
  }

  flags(part, { unit }, frame) {
    const rows = [0, 1, 2, 3].flatMap((cycle) => this.recording.tables[part.f][(unit & 3) * 4 + cycle] ?? []);
    return { cycle: null, inputs: this.resolved(part, rows, unit & ~3, frame) };
  }

  // Rows [source, PE, cycle, word] or [source, word of the matrix register] as words of memories.
  resolved(part, rows, firstPe, frame) {
    return rows.flatMap((row) => {
      const [source, pe, cycle, word] = row;
      const operand = part.s[source];
      if (!operand.m) return []; // a constant
      const name = operand.n;
      if (row.length === 2) return [{ name, word: { memory: operand.m, address: pe, half: 0, unit: firstPe >> 2 } }];
      if (word >= operand.w) return [];
      const first = this.first(operand, cycle, firstPe + pe, frame);
      const from = { memory: operand.m, address: first + word, half: 0, unit: firstPe + pe };
      return first === null ? [] : [{ name, word: from }];
    });
  }

  // --- transfers: pairs of coordinates, destination and source ---

  points(part) {
    if (!this.decoded.has(part.t)) {
      const { first, ends, count, at } = this.recording.tables[part.t];
      const steps = new Int32Array(this.recording.units, 4 * at, first.length * Math.max(0, count - 1));
      const columns = first.map((start, column) => {
        const values = new Int32Array(count);
        values[0] = start;
        for (let i = 1; i < count; i++) values[i] = values[i - 1] + steps[column * (count - 1) + i - 1];
        return values;
      });
      if (this.decoded.size > 40) this.decoded.clear();
      this.decoded.set(part.t, { ends: columns.slice(0, ends), starts: columns.slice(ends), count });
    }
    return this.decoded.get(part.t);
  }

  // The source coordinates of all pairs with this destination.
  sources(part, destination) {
    const { ends, starts, count } = this.points(part);
    const found = [];
    for (let i = 0; i < count; i++) {
      if (ends.every((column, n) => column[i] === destination[n])) found.push(starts.map((column) => column[i]));
    }
    return found;
  }

  // What comes down from the L1BM to a PE.
  received(part, pe, cycle, word) {
    const unit = pe >> 6;
    const found = this.sources(part, [(pe >> 2) & 15, pe & 3, cycle, word >> 1]);
    const { m, n } = part.s[0];
    return { cycle, inputs: found.map(([address]) => ({ name: n, word: { memory: m, address, half: word & 1, unit } })) };
  }

  // What PEs send up to the L1BM.
  sent(part, { address, half, unit }) {
    const found = this.sources(part, [address]);
    if (!found.length) return null;
    const [source] = part.s;
    const inputs = found.flatMap(([mab, pe, cycle, long]) => (part.c[2 * long + half] ?? []).flatMap((word) => {
      const from = (unit << 6) + 4 * mab + pe;
      if (word >= source.w || (source.a === undefined && source.x !== undefined)) return [];
      const first = source.a ? source.a[cycle] : 4 * cycle;
      return [{ name: source.n, word: { memory: source.m, address: first + word, half: 0, unit: from } }];
    }));
    return { cycle: found[0][2], inputs };
  }

  // What goes between the memories above the PEs.
  moved(part, { memory, address, half, unit }) {
    const { m: from, n: name } = part.s[0];
    const levels = this.recording.memories;
    const columns = this.points(part).ends.length;
    const l2b = memory === "l1bm" ? unit >> 3 : unit;
    const inL2bm = columns === 1 ? [address] : [unit >> 1, unit & 1, address]; // in MV lines with group and L2B
    const ends = { l1bm: [unit & 7, address], l2bm: inL2bm };
    const found = this.sources(part, ends[memory] ?? [unit, address]);
    if (!found.length) return null;
    const source = (point) => {
      if (from === "l1bm") return 8 * l2b + point[0];
      if (from === "l2bm") return point.length === 1 ? l2b : 2 * point[0] + point[1];
      return levels[from].level === "group" && point.length > 1 ? point[0] : unit;
    };
    const halves = part.h ? [0, 1] : [half];
    const inputs = found.flatMap((point) => halves.map((h) => ({
      name, word: { memory: from, address: point.at(-1), half: h, unit: source(point) },
    })));
    return { cycle: null, inputs };
  }
}
