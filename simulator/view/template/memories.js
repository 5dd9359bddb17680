// The memories of the chosen unit: an overview in colours and a window of numbers, with this step's accesses marked.

const LAYOUTS = {
  lm0: { title: "LM0", of: "local memory 0 of the PE" },
  lm1: { title: "LM1", of: "local memory 1 of the PE" },
  grf0: { title: "GRF0", of: "general registers 0 of the PE ($r)" },
  grf1: { title: "GRF1", of: "general registers 1 of the PE ($s)" },
  t: { title: "T", of: "T register of the PE: cycle.word", rows: "cycle", columns: 4 },
  aluf: { title: "$aluf", of: "what the ALU put out last: cycle.word", rows: "cycle", columns: 4 },
  mauf: { title: "$mauf", of: "what the MAU put out last: cycle.word", rows: "cycle", columns: 4 },
  lbf: { title: "$lbf", of: "what came from the L1BM last: cycle.word", rows: "cycle", columns: 4 },
  mreadf: { title: "$mreadf", of: "what was read from a matrix last: cycle.word", rows: "cycle", columns: 4 },
  omr: { title: "Masks", of: "mask entries of the PE: 4 flags for each of 4 cycles", rows: "entry", columns: 1, flags: true },
  bar: { title: "Base addresses", of: "of LM0 (0) and LM1 (1)", columns: 2, fixed: "int" },
  mx: { title: "Matrix X", of: "matrix register of the MAB", rows: "row", columns: 8 },
  my: { title: "Matrix Y", of: "matrix register of the MAB", rows: "row", columns: 8 },
  l1bm: { title: "L1BM", of: "memory of the L1B" },
  turn: { title: "Turnaround", of: "last block sent to the L1BM, in cycle order" },
  l2bm: { title: "L2BM", of: "memory of the L2B" },
  pdm: { title: "PDM", of: "memory of the group" },
  dar: { title: "DAR", of: "DRAM address table of the group, in units of 16 long words", fixed: "int" },
  dram: { title: "DRAM", of: "off-chip memory of the group" },
};
const OWNERS = { pe: 5, mab: 4, l1b: 3, l2b: 2, group: 1 };
const WINDOW = 16;

// An address as people write it: `cycle.word` or `row.word` where a memory has rows.
function addressName(memory, address) {
  const { rows, columns } = LAYOUTS[memory];
  return rows && columns > 1 ? `${Math.floor(address / columns)}.${address % columns}` : String(address);
}

const owner = (recording, memory, pe) => unitName(pe, OWNERS[recording.memories[memory].level]);

class Panel {
  constructor(recording, memory, pick) {
    Object.assign(this, { recording, memory, layout: LAYOUTS[memory], top: 0 });
    this.width = recording.width(memory);
    this.element = document.createElement("article");
    this.element.className = "panel";
    this.element.innerHTML =
      `<h3>${this.layout.title} <small></small></h3><p class="of">${this.layout.of}</p>` +
      '<canvas role="img"></canvas><div class="window"></div>' +
      '<p class="pager"><button aria-label="Earlier words">▲</button><span></span><button aria-label="Later words">▼</button></p>';
    [this.owner, this.canvas, this.window, this.pager] = ["small", "canvas", ".window", ".pager"].map((name) =>
      this.element.querySelector(name),
    );
    const [up, down] = this.pager.querySelectorAll("button");
    up.addEventListener("click", () => this.scroll(-WINDOW));
    down.addEventListener("click", () => this.scroll(WINDOW));
    this.canvas.addEventListener("click", (event) => this.jump(event));
    this.window.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-address]");
      if (cell) pick({ memory, address: Number(cell.dataset.address) });
    });
  }

  // Rows of the window: first addresses of the aligned rows in which some address is used.
  arrange() {
    const shown = this.layout.columns ?? this.fitting();
    if (shown === this.columns) return;
    this.columns = shown;
    const rows = new Set();
    for (const { start, count } of this.recording.slots[this.memory].runs) {
      for (let row = start - (start % shown); row < start + count; row += shown) rows.add(row);
    }
    this.rows = [...rows];
    const { rows: name = "" } = this.layout;
    this.label = 14 + 7.4 * (name ? name.length + 3 : String(this.rows.at(-1)).length);
    this.top = 0;
  }

  fitting() {
    const last = this.recording.used[this.memory].at(-1);
    const room = this.element.clientWidth - 42 - 7.4 * String(last[0] + last[1]).length;
    const wanted = room / (this.width * FORMATS[this.format].room);
    return wanted >= 8 ? 8 : wanted >= 4 ? 4 : wanted >= 2 ? 2 : this.width === 2 ? 1 : 2;
  }

  draw(view) {
    this.view = view;
    this.format = this.layout.fixed ?? view.format;
    this.arrange();
    const { state, pe } = view;
    this.owner.textContent = owner(this.recording, this.memory, pe);
    this.known = !state.unknown.has(this.memory);
    this.words = state.memories[this.memory];
    this.marks = new Map();
    for (const effect of view.effects.filter((one) => one.memory === this.memory)) {
      for (const cell of effect.cells) {
        const mark = this.marks.get(cell.address) ?? { flags: 0, before: cell.before };
        mark.flags |= effect.written ? WRITTEN : READ;
        this.marks.set(cell.address, mark);
      }
    }
    this.element.classList.toggle("active", this.marks.size > 0);
    this.follow();
    this.drawWindow();
    this.drawOverview();
  }

  // Move the window to what this step touches, written words first.
  follow() {
    const wanted = [...this.marks].filter(([, mark]) => mark.flags & WRITTEN).map(([address]) => address);
    const first = Math.min(...(wanted.length ? wanted : this.marks.keys()));
    const picked = this.view.picked?.memory === this.memory ? this.view.picked.address : Infinity;
    const target = Number.isFinite(first) ? first : picked;
    if (!Number.isFinite(target)) return;
    const row = this.rows.indexOf(target - (target % this.columns));
    if (row >= 0 && (row < this.top || row >= this.top + WINDOW)) this.top = row;
    this.top = Math.max(0, Math.min(this.top, this.rows.length - WINDOW));
  }

  scroll(rows) {
    this.top = Math.max(0, Math.min(this.top + rows, this.rows.length - WINDOW));
    this.drawWindow();
  }

  drawWindow() {
    const body = [];
    this.rows.slice(this.top, this.top + WINDOW).forEach((row, i, shown) => {
      if (i > 0 && row !== shown[i - 1] + this.columns) body.push(`<tr class="gap"><td colspan="${this.columns + 1}"></td></tr>`);
      const { rows: name } = this.layout;
      const label = name ? `${name} ${row / this.columns}` : row;
      body.push(`<tr><th scope="row">${label}</th>${this.cells(row)}</tr>`);
    });
    const caption = `${this.layout.title} of ${this.owner.textContent}`;
    this.window.innerHTML = this.known
      ? `<table style="min-width:${this.label + this.columns * this.width * FORMATS[this.format].room}px"><caption>${caption}</caption><colgroup><col style="width:${this.label}px"></colgroup><tbody>${body.join("")}</tbody></table>`
      : '<p class="unknown">Values of this unit are not recorded.</p>';
    const more = this.rows.length > WINDOW;
    this.pager.hidden = !more;
    const last = this.rows[Math.min(this.top + WINDOW, this.rows.length) - 1] + this.columns - 1;
    const what = this.width === 2 ? "long words" : "words";
    this.pager.querySelector("span").textContent = `${what} ${this.rows[this.top]}–${last} of ${this.rows[0]}–${
      this.rows.at(-1) + this.columns - 1
    }`;
  }

  cells(row) {
    const size = this.width === 1 && !this.layout.flags ? FORMATS[this.format].words : 1;
    let result = "";
    for (let address = row; address < row + this.columns; address += size) {
      const slot = this.recording.slot(this.memory, address);
      if (slot < 0) {
        result += `<td colspan="${size}" class="unused"></td>`;
        continue;
      }
      const words = this.value(slot, size);
      let flags = 0;
      for (let i = 0; i < size; i++) flags |= this.marks.get(address + i)?.flags ?? 0;
      const { picked } = this.view;
      const chosen = picked?.memory === this.memory && picked.address >= address && picked.address < address + size;
      const names = [flags & READ && "read", flags & WRITTEN && "write", chosen && "picked", words.every((w) => !w) && "zero"];
      result +=
        `<td colspan="${size}" class="${names.filter(Boolean).join(" ")}" data-address="${address}"` +
        ` style="background:${css(this.layout.flags ? [0, 0, 0, 0] : colour(words, this.format))}">` +
        `${this.texts(words).map((text) => `<span>${text}</span>`).join(" ")}</td>`;
    }
    return result;
  }

  value(slot, size) {
    return Array.from(this.words.subarray(slot * this.width, (slot + size) * this.width));
  }

  texts(words) {
    return this.layout.flags ? flagText(words[0]) : elements(words, this.format, narrow);
  }

  // Every used word as a square, this step's words outlined.
  drawOverview() {
    const { total } = this.recording.slots[this.memory];
    const few = total * this.width <= 64 || this.layout.rows;
    this.canvas.hidden = few || !this.known;
    if (this.canvas.hidden) return;
    const room = this.element.clientWidth - 24;
    const cell = Math.max(2, Math.min(11, Math.floor(Math.sqrt((room * 110) / total))));
    const columns = Math.max(8, Math.floor(room / cell / 8) * 8);
    const rows = Math.ceil(total / columns);
    const scale = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: columns * cell * scale, height: rows * cell * scale });
    Object.assign(this.canvas.style, { width: `${columns * cell}px`, height: `${rows * cell}px` });
    Object.assign(this, { cell, across: columns });
    this.canvas.setAttribute("aria-label", `${this.layout.title}: ${total} used words as colours, ${this.marks.size} touched`);
    const context = this.canvas.getContext("2d");
    const theme = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
    context.scale(scale, scale);
    const gap = cell > 4 ? 1 : 0;
    const box = (slot, margin) => [
      (slot % columns) * cell - margin, Math.floor(slot / columns) * cell - margin,
      cell - gap + 2 * margin, cell - gap + 2 * margin,
    ];
    for (let slot = 0; slot < total; slot++) {
      context.fillStyle = theme.empty ??= theme("--cell");
      context.fillRect(...box(slot, 0));
      const tint = css(colour(this.value(slot, 1), this.format === "double" && this.width === 1 ? "hex" : this.format));
      if (tint === "transparent") continue;
      context.fillStyle = tint;
      context.fillRect(...box(slot, 0));
    }
    for (const [written, name] of [[READ, "--read"], [WRITTEN, "--write"]]) {
      context.fillStyle = theme(name);
      for (const [address, mark] of this.marks) {
        if (!(mark.flags & written)) continue;
        const [x, y, width, height] = box(this.recording.slot(this.memory, address), 0);
        context.fillRect(x, y + height - Math.max(1, height / 4), width, Math.max(1, height / 4));
        context.fillRect(x, y, Math.max(1, width / 5), height);
      }
    }
  }

  jump(event) {
    const slot = Math.floor(event.offsetY / this.cell) * this.across + Math.floor(event.offsetX / this.cell);
    const run = this.recording.slots[this.memory].runs.find(({ first, count }) => slot >= first && slot < first + count);
    if (!run) return;
    const address = run.start + slot - run.first;
    const row = this.rows.indexOf(address - (address % this.columns));
    this.top = Math.max(0, Math.min(row, this.rows.length - WINDOW));
    this.drawWindow();
  }
}

const flagText = (bits) => [12, 8, 4, 0].map((shift) => ((bits >>> shift) & 15).toString(2).padStart(4, "0"));
