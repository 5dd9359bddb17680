// The memories of the units above one PE at any step: a list of all words written there, each with what it was and what
// it became. To go forward is to apply the list, to go back is to undo it.

class History {
  constructor(recording, pe) {
    Object.assign(this, { recording, pe, frame: -1, memories: {}, unknownFrom: {} });
    this.names = Object.keys(recording.slots);
    for (const memory of this.names) {
      this.memories[memory] = new Uint32Array(recording.slots[memory].total * recording.width(memory));
    }
    let room = 0;
    for (const { accesses } of recording.frames) {
      for (const access of accesses) if (access.w) room += access.k * recording.width(access.m);
    }
    this.memory = new Uint8Array(room);
    this.place = new Uint32Array(room);
    this.before = new Uint32Array(room);
    this.after = new Uint32Array(room);
    this.ends = new Uint32Array(recording.frames.length); // of the entries of every frame
    this.length = 0;
    recording.frames.forEach(({ accesses }, number) => {
      for (const access of accesses) if (access.w) this.record(number, access);
      this.ends[number] = this.length;
    });
    this.frame = recording.frames.length - 1;
  }

  record(frame, access) {
    const { recording } = this;
    const part = recording.part(access, recording.unitOf(access.m, this.pe));
    if (!part) return;
    if (part.values < 0) {
      this.unknownFrom[access.m] ??= frame;
      return;
    }
    const width = recording.width(access.m);
    let from = part.values;
    const take = (slot, count) => {
      this.take(access.m, slot * width, from, count * width);
      from += count * width;
    };
    if (part.own) for (const address of part.own) take(address === NOWHERE ? -1 : recording.slot(access.m, address), 1);
    else for (const [first, count] of part.runs) take(recording.slot(access.m, first), count);
  }

  take(memory, first, from, count) {
    if (first < 0) return;
    const target = this.memories[memory];
    const number = this.names.indexOf(memory);
    const { words } = this.recording;
    for (let i = 0; i < count; i++) {
      this.memory[this.length] = number;
      this.place[this.length] = first + i;
      this.before[this.length] = target[first + i];
      this.after[this.length++] = target[first + i] = words[from + i];
    }
  }

  known(memory) {
    return !(this.frame >= this.unknownFrom[memory]);
  }

  start(frame) {
    return frame > 0 ? this.ends[frame - 1] : 0;
  }

  // Go to a frame; the memories that change on the way.
  seek(frame) {
    const changed = new Uint8Array(this.names.length);
    const arrays = this.names.map((name) => this.memories[name]);
    if (frame > this.frame) {
      for (let i = this.start(this.frame + 1); i < this.ends[frame]; i++) {
        changed[this.memory[i]] = 1;
        arrays[this.memory[i]][this.place[i]] = this.after[i];
      }
    } else {
      for (let i = this.ends[this.frame] - 1; i >= this.start(frame + 1); i--) {
        changed[this.memory[i]] = 1;
        arrays[this.memory[i]][this.place[i]] = this.before[i];
      }
    }
    this.frame = frame;
    return new Set(this.names.filter((_, i) => changed[i]));
  }

  // What words held before the frame where the history stands: {memory: Map of place to word}; of many, the first ones.
  previous() {
    const found = Object.fromEntries(this.names.map((name) => [name, new Map()]));
    const first = this.start(this.frame);
    for (let i = first; i < Math.min(this.ends[this.frame], first + 4096); i++) {
      const map = found[this.names[this.memory[i]]];
      if (!map.has(this.place[i])) map.set(this.place[i], this.before[i]);
    }
    return found;
  }

  // What the frame does here, by memory and direction: [{memory, written, known, runs, own, count}].
  effects() {
    const { recording, frame, pe } = this;
    return recording.frames[frame].accesses.flatMap((access) => {
      const part = recording.part(access, recording.unitOf(access.m, pe));
      if (!part) return [];
      const own = part.own && [...part.own].filter((address) => address !== NOWHERE);
      const count = own ? own.length : part.runs.reduce((sum, [, length]) => sum + length, 0);
      if (!count) return [];
      return [{ memory: access.m, written: Boolean(access.w), known: this.known(access.m), runs: part.runs, own, count }];
    });
  }
}

// Whether an effect has an address.
function touches({ runs, own }, address) {
  return own ? own.includes(address) : runs.some(([first, count]) => address >= first && address < first + count);
}

// The first addresses of an effect.
function firstAddresses({ runs, own }, most) {
  if (own) return own.slice(0, most);
  const found = [];
  for (const [first, count] of runs) {
    for (let i = 0; i < count && found.length < most; i++) found.push(first + i);
  }
  return found;
}
