// The page: what is shown now, the controls, and drawing it all.

const at = (id) => document.getElementById(id);
const MOST = 8;
const PASSING = ["aluf", "mauf", "lbf", "mreadf", "turn"]; // replaced by every step that uses the unit

class Page {
  constructor(recording) {
    this.recording = recording;
    Object.assign(this, { frame: 0, pe: parseUnit(recording.unit) ?? 0, format: "float", picked: null, values: false });
    this.last = recording.frames.length - 1;
    this.chip = new Chip((pe) => this.set({ pe }));
    this.assembly = new Assembly(recording, (frame) => this.set({ frame }));
    const used = Object.keys(LAYOUTS).filter((memory) => recording.slots[memory]);
    this.panels = used.map((memory) => new Panel(recording, memory, (picked) => this.set({ picked })));
    at("panels").append(...this.panels.map(({ element }) => element));
    const unused = Object.keys(LAYOUTS).filter((memory) => !recording.slots[memory]).map((memory) => LAYOUTS[memory].title);
    at("unused").textContent = unused.length ? `Not used by this program: ${unused.join(", ")}.` : "";
    at("notes").innerHTML = recording.notes.map((note) => `<li>${escapeText(note)}</li>`).join("");
    this.listen();
  }

  listen() {
    const moves = { first: () => 0, back: () => this.frame - 1, forward: () => this.frame + 1, last: () => this.last };
    for (const [id, target] of Object.entries(moves)) at(id).addEventListener("click", () => this.set({ frame: target() }));
    at("scrubber").max = this.last;
    at("scrubber").addEventListener("input", (event) => this.set({ frame: Number(event.target.value) }));
    at("format").addEventListener("change", (event) => this.set({ format: event.target.value }));
    at("map-touched").addEventListener("click", () => this.set({ values: false }));
    at("map-values").addEventListener("click", () => this.set({ values: true }));
    at("choose").addEventListener("click", () => at("chip-title").scrollIntoView({ block: "center" }));
    at("accesses").addEventListener("click", (event) => this.follow(event));
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.set(this.fromHash()));
    let waiting = 0;
    window.addEventListener("resize", () => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => this.draw());
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  key(event) {
    if (event.target.matches("select, input[type=text]") || event.altKey || event.ctrlKey || event.metaKey) return;
    const listing = at("assembly").contains(event.target);
    const moves = {
      ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity,
      ...(listing && { ArrowUp: -1, ArrowDown: 1 }),
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.set({ frame: this.frame + moves[event.key] });
  }

  // To the line that wrote a word, or to the panel of a memory.
  follow(event) {
    const button = event.target.closest("button[data-frame]");
    if (button) this.set({ frame: Number(button.dataset.frame) });
    const link = event.target.closest("button[data-panel]");
    if (link) this.panels.find(({ memory }) => memory === link.dataset.panel).element.scrollIntoView({ block: "center" });
  }

  set(change) {
    Object.assign(this, change);
    this.frame = Math.max(0, Math.min(this.last, this.frame));
    const parts = { step: this.frame, unit: unitName(this.pe), format: this.format };
    if (this.picked) parts.word = `${this.picked.memory}.${this.picked.address}`;
    if (this.values) parts.map = "values";
    try {
      history.replaceState(null, "", `#${new URLSearchParams(parts)}`);
    } catch { /* inside a notebook's frame there is no address to change */ }
    this.draw();
  }

  fromHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const result = {};
    const step = Number.parseInt(wanted.get("step"), 10);
    if (Number.isInteger(step)) result.frame = step;
    const pe = parseUnit(wanted.get("unit") ?? "");
    if (pe !== null) result.pe = pe;
    if (wanted.get("format") in FORMATS) result.format = wanted.get("format");
    const [memory, address] = (wanted.get("word") ?? "").split(".");
    if (memory in this.recording.slots && this.recording.slot(memory, Number(address)) >= 0) {
      result.picked = { memory, address: Number(address) };
    }
    result.values = wanted.get("map") === "values";
    return result;
  }

  draw() {
    const { recording, frame, pe, format, picked } = this;
    const effects = recording.effects(frame, pe);
    const view = { frame, pe, format, picked, effects, state: recording.state(frame, pe) };
    this.drawHead();
    this.drawStep(effects);
    this.drawChip();
    this.assembly.show(frame);
    at("belongs").innerHTML = `PE <b>${unitName(pe)}</b>, and the MAB, L1B, L2B and group it belongs to.`;
    at("scale").textContent = SCALES[format];
    for (const panel of this.panels) panel.draw(view);
  }

  drawHead() {
    const { step, count, line } = this.recording.frames[this.frame];
    const cycles = step === undefined ? "" : ` · cycles ${4 * step}–${4 * (step + count) - 1}`;
    const place = this.frame ? `line ${line}${cycles}` : "before the first line";
    at("where").innerHTML = `<b>${this.frame}</b> of ${this.last} <span>· ${place}</span>`;
    at("scrubber").value = this.frame;
    at("scrubber").setAttribute("aria-valuetext", `${this.frame} of ${this.last}, ${place}`);
    at("format").value = this.format;
    for (const id of ["first", "back"]) at(id).disabled = this.frame === 0;
    for (const id of ["forward", "last"]) at(id).disabled = this.frame === this.last;
  }

  drawStep(effects) {
    const { text, words, more = "", remarks = [], printed = [] } = this.recording.frames[this.frame];
    at("whose").textContent = this.frame ? `in ${unitName(this.pe)}` : "";
    at("line").innerHTML = this.frame ? highlight(text) : "Start";
    at("words").innerHTML =
      words.map((sentence) => `<p>${escapeText(sentence)}</p>`).join("") +
      remarks.map((remark) => `<p class="remark">${escapeText(remark)}</p>`).join("");
    at("accesses").innerHTML = this.pickedText() + (this.frame ? this.effectsText(effects) : "");
    for (const [id, content] of [["more", more], ["printed", printed.join("\n")]]) {
      at(id).hidden = !content;
      at(id).lastElementChild.textContent = content;
    }
  }

  effectsText(effects) {
    const merged = new Map();
    for (const effect of effects) {
      const key = `${effect.written}${effect.memory}`;
      const entry = merged.get(key) ?? { ...effect, cells: new Map() };
      for (const cell of effect.cells) entry.cells.set(cell.address, cell);
      merged.set(key, entry);
    }
    const entries = [...merged.values()].sort((a, b) => a.written - b.written);
    if (!entries.length) {
      const others = this.recording.frames[this.frame].accesses.length > 0;
      return `<p>${others ? `${unitName(this.pe)} takes no part in this step.` : "No memory is read or written."}</p>`;
    }
    return `<table class="effects"><tbody>${entries.map((entry) => this.effectRow(entry)).join("")}</tbody></table>`;
  }

  effectRow({ memory, written, cells, known }) {
    const { recording, frame } = this;
    const { title, flags, fixed } = LAYOUTS[memory];
    const list = [...cells.values()].sort((a, b) => a.address - b.address);
    const format = fixed ?? this.format;
    const size = recording.width(memory) === 1 && !flags ? FORMATS[format].words : 1;
    const show = (words) => (flags ? flagText(words[0]) : elements(words, format)).join(" ");
    const runs = [];
    for (let i = 0; i < list.length; i += size) {
      const group = list.slice(i, i + size);
      const [before, after] = ["before", "after"].map((time) => show(group.flatMap((cell) => cell[time])));
      const run = runs.at(-1);
      const [first, last] = [group[0].address, group.at(-1).address];
      if (run && (PASSING.includes(memory) || run.before === before) && run.after === after && this.recording.follows(memory, run.last, first)) run.last = last;
      else runs.push({ first, last, before, after });
    }
    const chips = runs.slice(0, MOST).map((run) => this.runText(memory, written, run));
    if (runs.length > MOST) chips.push(`<span>and ${runs.length - MOST} more</span>`);
    const { level } = recording.memories[memory];
    const total = LEVELS[level];
    const taking = recording.count(frame, memory, written);
    const names = { pe: "PEs", mab: "MABs", l1b: "L1Bs", l2b: "L2Bs", group: "groups" };
    const where = taking === total ? `all ${total.toLocaleString("en")} ${names[level]}` : `${taking} of ${total} ${names[level]}`;
    const unknown = '<span class="unknown">values of this unit are not recorded</span>';
    return (
      `<tr class="${written ? "write" : "read"}"><th scope="row">${written ? "writes" : "reads"} ` +
      `<button class="link" data-panel="${memory}">${title}</button> <small>${where}</small></th><td>${known ? chips.join(" ") : unknown}</td></tr>`
    );
  }

  // Neighbours with one value: `8–9: 0 → 1.5`. What a unit put out before says nothing about this step.
  runText(memory, written, { first, last, before, after }) {
    const place = addressName(memory, first) + (last > first ? `–${addressName(memory, last)}` : "");
    let change = written ? `<b>${after}</b>` : before;
    if (written && !PASSING.includes(memory)) change = before === after ? `${after} <small>(same)</small>` : `<s>${before}</s> ${change}`;
    return `<span class="chip-value"><i>${place}</i> ${change}</span>`;
  }

  pickedText() {
    if (!this.picked) return "";
    const { memory, address } = this.picked;
    const { recording, frame, pe } = this;
    const width = recording.width(memory);
    const slot = recording.slot(memory, address);
    const state = recording.state(frame, pe);
    const words = Array.from(state.memories[memory].subarray(width * slot, width * (slot + 1)));
    const writer = recording.writer(memory, address, frame, pe);
    const line = writer > 0 ? `line ${recording.frames[writer].line}` : "the start";
    const by = writer < 0 ? "Never written up to here." : `Last written by <button data-frame="${writer}">${line}</button>`;
    const forms = Object.keys(FORMATS).filter((format) => FORMATS[format].words <= width);
    const values = LAYOUTS[memory].flags ? flagText(words[0]).join(" ")
      : forms.map((format) => `${format} <b>${elements(words, format).join(", ")}</b>`).join(" · ");
    const known = state.unknown.has(memory) ? "not recorded" : values;
    return `<p class="picked-word"><b>${LAYOUTS[memory].title}[${addressName(memory, address)}]</b> of ${owner(recording, memory, pe)}: ${known}. ${by}</p>`;
  }

  drawChip() {
    const { recording, frame, picked } = this;
    const touched = recording.touched(frame);
    at("map-values").disabled = !picked;
    at("map-values").title = picked ? "" : "Click a cell of a memory first";
    const values = Boolean(this.values && picked);
    at("map-touched").setAttribute("aria-pressed", String(!values));
    at("map-values").setAttribute("aria-pressed", String(values));
    if (values) {
      const { words, known } = recording.across(picked.memory, picked.address, frame);
      const width = recording.width(picked.memory);
      const tints = Array.from(known, (is, unit) =>
        css(is ? colour(Array.from(words.subarray(unit * width, (unit + 1) * width)), this.colourFormat(width)) : [128, 128, 128, 0.25]),
      );
      const colours = Array.from({ length: LEVELS.pe }, (_, pe) => tints[recording.unitOf(picked.memory, pe)]);
      const title = `${LAYOUTS[picked.memory].title}[${addressName(picked.memory, picked.address)}]`;
      const missing = known.every(Boolean) ? "" : "; grey: not recorded";
      this.chip.draw(this.pe, touched, colours, `${title} in every unit, as colours${missing}`);
      return;
    }
    const pes = touched.pe.map((flags, pe) => flags | touched.mab[pe >> 2]);
    const written = pes.filter((flags) => flags & WRITTEN).length;
    const read = pes.filter((flags) => flags === READ).length;
    const above = ["l1b", "l2b", "group"].filter((level) => touched[level].some(Boolean));
    const names = { l1b: "L1BMs", l2b: "L2BMs", group: "DRAM or PDM" };
    const parts = [
      written && `${written.toLocaleString("en")} PEs written`, read && `${read.toLocaleString("en")} PEs only read`,
      above.length && `frames: ${above.map((level) => names[level]).join(", ")}`,
    ].filter(Boolean);
    this.chip.draw(this.pe, touched, null, parts.length ? parts.join("; ") : "nothing is touched");
  }

  colourFormat(width) {
    return this.format === "double" && width === 1 ? "hex" : this.format;
  }
}

async function main() {
  try {
    const data = JSON.parse(new TextDecoder().decode(await unpack("data")));
    const page = new Page(new Recording(data, await unpack("values")));
    at("page").hidden = false;
    at("failure").hidden = true;
    page.set(page.fromHash());
  } catch (error) {
    at("failure").textContent = `The recording cannot be shown: ${error.message}. A current version of Chrome, Edge, Firefox or Safari should do.`;
    throw error;
  }
}

main();
