// Find lines: by text or mnemonic, by the address they touch, or by the number of a line, step or cycle.

const PLACES = { m: "lm0", n: "lm1", r: "grf0", s: "grf1", lb: "l1bm", lc: "l2bm", p: "pdm", d: "dram", x: "mx", y: "my" };

// `LM0[12]`, `lm0 12`, `$m12`, `$lm12`, `$lb64`: {memory, address}; null for other text.
function parseAddress(text, recording) {
  const titled = /^([\p{L}\p{N}_]+)\s*\[?\s*(\d+)(?:\.(\d+))?\s*\]?$/u.exec(text.trim());
  if (titled) {
    const name = titled[1].toLowerCase();
    const memory = Object.keys(LAYOUTS).find((key) => key === name || LAYOUTS[key].title.toLowerCase() === name);
    const { columns = 1, rows } = LAYOUTS[memory] ?? {};
    const [first, second] = [Number(titled[2]), titled[3]];
    const address = second !== undefined && rows ? first * columns + Number(second) : first;
    if (memory) return recording.slots[memory] ? { memory, address } : null;
  }
  const operand = /^\$l*?(lb|lc|[mnrspdxy])(\d+)/.exec(text.trim());
  const memory = operand && PLACES[operand[1]];
  return memory && recording.slots[memory] ? { memory, address: Number(operand[2]) } : null;
}

// The frames that fit what is looked for, in order, and a sentence about them.
function search(recording, query) {
  const text = query.trim();
  if (!text) return { frames: [], what: "" };
  const place = parseAddress(text, recording);
  if (place) {
    const { memory, address } = place;
    const touching = ({ accesses }) => accesses.some((one) => one.m === memory && reaches(recording, one, address));
    const frames = recording.frames.flatMap((frame, number) => (number && touching(frame) ? [number] : []));
    const places = { count: frames.length, word: wordName(memory, address) };
    return { frames, what: _("{count} lines read or write {word}, in some unit", places) };
  }
  const wanted = text.toLowerCase();
  const fits = ([, line, frame]) => (frame > 0 && line.toLowerCase().includes(wanted) ? [frame] : []);
  const frames = [...new Set(recording.source.flatMap(fits))].sort((a, b) => a - b);
  return { frames, what: _("{count} lines have “{text}”", { count: frames.length, text }) };
}

function reaches(recording, access, address) {
  if (access.a) return recording.position({ runs: access.a }, address) >= 0;
  if (!recording.words) return false;
  const length = recording.rowLength(access);
  const index = recording.index(access);
  const rows = new Set(index ? [...index].filter((row) => row < UNKNOWN) : [0]);
  const addresses = (row) => recording.words.subarray(access.t + row * length, access.t + row * length + access.k);
  return [...rows].some((row) => addresses(row).includes(address));
}

// `31` a line, `s120` a step, `c480` a cycle: the frame, or -1.
function parseStop(recording, timeline, text) {
  const [, kind, digits] = /^\s*(s|step|c|cycle|line)?\s*(\d+)\s*$/i.exec(text) ?? [];
  if (!digits) return -1;
  const number = Number(digits);
  const { frames } = recording;
  if (/^c/i.test(kind ?? "")) return timeline.frameAt(number);
  const runs = ({ step, count }) => step !== undefined && number >= step && number < step + count;
  if (/^s/i.test(kind ?? "")) return frames.findIndex(runs);
  const exact = frames.findIndex(({ line }, i) => i > 0 && line === number);
  return exact >= 0 ? exact : frames.findIndex(({ line }, i) => i > 0 && line >= number);
}
