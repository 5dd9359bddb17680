// The recording: frames, what each reads and writes, and who wrote a word of any unit.

const SHIFTS = Object.fromEntries(Object.entries(LEVELS).map(([level, count]) => [level, Math.log2(LEVELS.pe / count)]));
const ABSENT = 0xffff;
const UNKNOWN = 0xfffe;
const NOWHERE = 0xffffffff;
const READ = 1;
const WRITTEN = 2;

async function unpack(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let n = 0; n < bytes.length; n++) bytes[n] = text.charCodeAt(n);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

class Recording {
  // Without values at first; until `take` gives them, no unit's are recorded.
  constructor(data, units) {
    Object.assign(this, data, { units, words: null });
    this.slots = {};
    for (const [memory, runs] of Object.entries(this.used)) {
      let total = 0;
      this.slots[memory] = { runs: runs.map(([start, count]) => ({ start, count, first: (total += count) - count })), total };
    }
    this.writers = {}; // by memory: [frame, access] of every write, in order
    this.frames.forEach((frame, number) => {
      for (const access of frame.accesses) if (access.w) (this.writers[access.m] ??= []).push([number, access]);
    });
  }

  take(values) {
    this.words = new Uint32Array(values);
  }

  // Whether a word is what nobody has put there.
  isJunk(word) {
    return this.junk.includes(word >>> 20);
  }

  width(memory) {
    return this.memories[memory].long ? 2 : 1;
  }

  unitOf(memory, pe) {
    return pe >> SHIFTS[this.memories[memory].level];
  }

  // The first PE of a unit.
  firstPe(memory, unit) {
    return unit << SHIFTS[this.memories[memory].level];
  }

  // Where an address stands among the used ones of its memory.
  slot(memory, address) {
    const { runs } = this.slots[memory];
    let low = 0;
    let high = runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (runs[middle].start <= address) low = middle;
      else high = middle - 1;
    }
    const run = runs[low];
    return run && address >= run.start && address < run.start + run.count ? run.first + address - run.start : -1;
  }

  address(memory, slot) {
    const run = this.slots[memory].runs.find(({ first, count }) => slot >= first && slot < first + count);
    return run ? run.start + slot - run.first : -1;
  }

  // Why a value is not shown.
  missing() {
    return this.words ? _("Values of this unit are not recorded.") : _("The values are being loaded …");
  }

  index(access) {
    if (access.i === undefined) return null;
    return (access.units ??= new Uint16Array(this.units, 4 * access.i, LEVELS[this.memories[access.m].level]));
  }

  rowLength(access) {
    return (access.a ? 0 : access.k) + (access.w ? access.k * this.width(access.m) : 0);
  }

  // What an access does in one unit: null if nothing, else where its addresses and its values begin (-1: not recorded).
  // Addresses are `runs` of [first, count], or `own`, where units have different ones.
  part(access, unit) {
    const index = this.index(access);
    const row = index ? index[unit] : 0;
    if (row === ABSENT) return null;
    if (row === UNKNOWN || !this.words) return { runs: access.a ?? [], own: null, values: -1 };
    const offset = access.t + row * this.rowLength(access);
    if (access.a) return { runs: access.a, own: null, values: offset };
    return { runs: null, own: this.words.subarray(offset, offset + access.k), values: offset + access.k };
  }

  // Where among its addresses a part has one: the last place, or -1.
  position(part, address) {
    if (part.own) return part.own.lastIndexOf(address);
    let before = 0;
    let found = -1;
    for (const [first, count] of part.runs) {
      if (address >= first && address < first + count) found = before + address - first;
      before += count;
    }
    return found;
  }

  // The last write to an address of a unit up to a frame: {frame, words (null where not recorded)}, or null.
  lastWrite(memory, address, unit, frame) {
    const list = this.writers[memory] ?? [];
    const width = this.width(memory);
    for (let number = this.writesUpTo(list, frame) - 1; number >= 0; number--) {
      const [at, access] = list[number];
      const part = this.part(access, unit);
      const place = part ? this.position(part, address) : -1;
      if (place < 0) continue;
      const from = part.values + width * place;
      return { frame: at, words: part.values < 0 ? null : Array.from(this.words.subarray(from, from + width)) };
    }
    return null;
  }

  writesUpTo(list, frame) {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle][0] <= frame) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The next frame that writes an address of a unit (direction 1: after this one, -1: before it), or -1.
  otherWrite(memory, address, unit, frame, direction) {
    const list = this.writers[memory] ?? [];
    const step = direction > 0 ? 1 : -1;
    for (let n = direction > 0 ? this.writesUpTo(list, frame) : this.writesUpTo(list, frame - 1) - 1; list[n]; n += step) {
      const part = this.part(list[n][1], unit);
      if (part && this.position(part, address) >= 0) return list[n][0];
    }
    return -1;
  }

  // READ and WRITTEN flags of every unit of every level.
  touched(frame) {
    const known = this.frames[frame];
    const flags = Object.fromEntries(Object.entries(LEVELS).map(([level, count]) => [level, new Uint8Array(count)]));
    flags.memories = {}; // the same by memory, above the MABs
    for (const access of known.accesses) {
      const { level } = this.memories[access.m];
      const target = flags[level];
      const own = level === "pe" || level === "mab" ? null : (flags.memories[access.m] ??= new Uint8Array(target.length));
      const index = this.index(access);
      const bit = access.w ? WRITTEN : READ;
      for (let unit = 0; unit < target.length; unit++) {
        if (index && index[unit] === ABSENT) continue;
        target[unit] |= bit;
        if (own) own[unit] |= bit;
      }
    }
    return flags;
  }

  // How many units take part in the accesses of one memory and direction in a frame.
  count(frame, memory, written) {
    const indices = [];
    for (const access of this.frames[frame].accesses) {
      if (access.m === memory && Boolean(access.w) === written) indices.push(this.index(access));
    }
    const total = LEVELS[this.memories[memory].level];
    if (indices.includes(null)) return total;
    let count = 0;
    for (let unit = 0; unit < total; unit++) count += indices.some((index) => index[unit] !== ABSENT);
    return count;
  }

  // One address in all units after a frame: words[unit * width + word], known[unit].
  across(memory, address, frame) {
    const width = this.width(memory);
    const units = LEVELS[this.memories[memory].level];
    const result = { words: new Uint32Array(units * width), known: new Uint8Array(units).fill(1) };
    const list = this.writers[memory] ?? [];
    for (const [, access] of list.slice(0, this.writesUpTo(list, frame))) this.spread(access, address, result);
    return result;
  }

  spread(access, address, result) {
    const width = this.width(access.m);
    if (access.a && this.position({ runs: access.a }, address) < 0) return;
    for (let unit = 0; unit < result.known.length; unit++) {
      const part = this.part(access, unit);
      const at = part ? this.position(part, address) : -1;
      if (part && part.values < 0) result.known[unit] = 0;
      else if (at >= 0) {
        result.known[unit] = 1;
        for (let word = 0; word < width; word++) {
          result.words[width * unit + word] = this.words[part.values + width * at + word];
        }
      }
    }
  }
}
