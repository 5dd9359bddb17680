// The recording: frames, their accesses, and the memories of a unit at any frame.

const SHIFTS = Object.fromEntries(Object.entries(LEVELS).map(([level, count]) => [level, Math.log2(LEVELS.pe / count)]));
const ABSENT = 0xffff;
const UNKNOWN = 0xfffe;
const NOWHERE = 0xffffffff;
const READ = 1;
const WRITTEN = 2;

async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

class Recording {
  constructor(data, buffer) {
    Object.assign(this, data);
    this.buffer = buffer;
    this.words = new Uint32Array(buffer);
    this.slots = {};
    for (const [memory, runs] of Object.entries(this.used)) {
      let total = 0;
      this.slots[memory] = { runs: runs.map(([start, count]) => ({ start, count, first: (total += count) - count })), total };
    }
    this.cache = { frame: -1, pe: -1 };
  }

  width(memory) {
    return this.memories[memory].long ? 2 : 1;
  }

  unitOf(memory, pe) {
    return pe >> SHIFTS[this.memories[memory].level];
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

  // Whether an address is the next used one after another.
  follows(memory, before, after) {
    return this.slot(memory, after) === this.slot(memory, before) + 1;
  }

  index(access) {
    return access.i === undefined ? null : new Uint16Array(this.buffer, 4 * access.i, LEVELS[this.memories[access.m].level]);
  }

  rowLength(access) {
    return (access.a ? 0 : access.k) + (access.w ? access.k * this.width(access.m) : 0);
  }

  addresses(access) {
    access.list ??= access.a.flatMap(([start, count]) => Array.from({ length: count }, (_, i) => start + i));
    return access.list;
  }

  // What an access does in one unit: null if nothing, else addresses and where its values begin (-1 = not recorded).
  part(access, unit) {
    const index = this.index(access);
    const row = index ? index[unit] : 0;
    if (row === ABSENT) return null;
    if (row === UNKNOWN) return { addresses: access.a ? this.addresses(access) : [], values: -1 };
    const offset = access.t + row * this.rowLength(access);
    if (access.a) return { addresses: this.addresses(access), values: offset };
    return { addresses: this.words.subarray(offset, offset + access.k), values: offset + access.k };
  }

  // The memories of the units above `pe` after a frame: {memory: words by slot}; `unknown` names those not recorded.
  state(frame, pe) {
    let cache = this.cache;
    if (cache.pe !== pe || cache.frame > frame) {
      cache = { frame: -1, pe, memories: {}, unknown: new Set() };
      for (const [memory, { total }] of Object.entries(this.slots)) {
        cache.memories[memory] = new Uint32Array(total * this.width(memory));
      }
    }
    while (cache.frame < frame) this.apply(++cache.frame, cache);
    this.cache = cache;
    return cache;
  }

  apply(frame, state) {
    for (const access of this.frames[frame].accesses) {
      if (!access.w) continue;
      const part = this.part(access, this.unitOf(access.m, state.pe));
      if (!part) continue;
      if (part.values < 0) {
        state.unknown.add(access.m);
        continue;
      }
      const width = this.width(access.m);
      const target = state.memories[access.m];
      part.addresses.forEach((address, i) => {
        if (address === NOWHERE) return;
        const slot = width * this.slot(access.m, address);
        for (let word = 0; word < width; word++) target[slot + word] = this.words[part.values + width * i + word];
      });
    }
  }

  // What a frame does to the units above `pe`, with the values before and after: one entry per access.
  effects(frame, pe) {
    const before = frame > 0 ? this.copy(this.state(frame - 1, pe)) : null;
    const after = this.state(frame, pe);
    return this.frames[frame].accesses.flatMap((access) => {
      const part = this.part(access, this.unitOf(access.m, pe));
      if (!part) return [];
      const width = this.width(access.m);
      const cells = [];
      for (const address of part.addresses) {
        if (address === NOWHERE) continue;
        const slot = this.slot(access.m, address);
        const words = (memories) => Array.from(memories[access.m].subarray(width * slot, width * (slot + 1)));
        const zero = Array(width).fill(0);
        cells.push({ address, slot, before: before ? words(before) : zero, after: words(after.memories) });
      }
      return [{ memory: access.m, written: Boolean(access.w), cells, known: !after.unknown.has(access.m) }];
    });
  }

  copy(state) {
    return Object.fromEntries(Object.entries(state.memories).map(([memory, words]) => [memory, words.slice()]));
  }

  // READ and WRITTEN flags of every unit of every level.
  touched(frame) {
    const flags = Object.fromEntries(Object.entries(LEVELS).map(([level, count]) => [level, new Uint8Array(count)]));
    for (const access of this.frames[frame].accesses) {
      const target = flags[this.memories[access.m].level];
      const index = this.index(access);
      const bit = access.w ? WRITTEN : READ;
      for (let unit = 0; unit < target.length; unit++) if (!index || index[unit] !== ABSENT) target[unit] |= bit;
    }
    return flags;
  }

  // How many units take part in the accesses of one memory and direction in a frame.
  count(frame, memory, written) {
    const taking = new Uint8Array(LEVELS[this.memories[memory].level]);
    for (const access of this.frames[frame].accesses) {
      if (access.m !== memory || Boolean(access.w) !== written) continue;
      const index = this.index(access);
      for (let unit = 0; unit < taking.length; unit++) if (!index || index[unit] !== ABSENT) taking[unit] = 1;
    }
    return taking.reduce((sum, flag) => sum + flag, 0);
  }

  // One address in all units after a frame: words[unit * width + word], known[unit].
  across(memory, address, frame) {
    const width = this.width(memory);
    const units = LEVELS[this.memories[memory].level];
    const result = { words: new Uint32Array(units * width), known: new Uint8Array(units).fill(1) };
    for (let number = 0; number <= frame; number++) {
      for (const access of this.frames[number].accesses) {
        if (access.m === memory && access.w) this.spread(access, address, result);
      }
    }
    return result;
  }

  spread(access, address, result) {
    const place = access.a ? this.addresses(access).indexOf(address) : -1;
    if (access.a && place < 0) return;
    const width = this.width(access.m);
    for (let unit = 0; unit < result.known.length; unit++) {
      const part = this.part(access, unit);
      if (!part) continue;
      const at = access.a ? place : part.addresses.lastIndexOf(address);
      if (part.values < 0) result.known[unit] = 0;
      else if (at >= 0) {
        for (let word = 0; word < width; word++) {
          result.words[width * unit + word] = this.words[part.values + width * at + word];
        }
      }
    }
  }

  // The last frame up to `frame` that wrote an address of the units above `pe`, or -1.
  writer(memory, address, frame, pe) {
    for (let number = frame; number >= 0; number--) {
      for (const access of this.frames[number].accesses) {
        if (access.m !== memory || !access.w) continue;
        const part = this.part(access, this.unitOf(memory, pe));
        if (part && part.addresses.includes(address)) return number;
      }
    }
    return -1;
  }
}
