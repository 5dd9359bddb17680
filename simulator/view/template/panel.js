// One memory of the chosen unit: an overview in colours and a window of numbers, with this step's accesses marked. The
// cells are made once and then only change, which is what makes a step fast.

const WINDOW = 16;

class Panel {
  constructor(recording, memory, pick) {
    Object.assign(this, { recording, memory, layout: LAYOUTS[memory], top: 0, key: "", effects: [] });
    this.width = recording.width(memory);
    this.element = document.createElement("article");
    this.element.className = "panel";
    this.element.dataset.memory = memory;
    if (this.layout.columns === 8) this.element.classList.add("wide");
    this.element.innerHTML =
      `<h3>${this.layout.title} <small></small></h3><p class="of">${this.layout.of}</p>` +
      '<canvas role="img"></canvas><div class="window"></div>' +
      '<p class="pager">' +
      `<button aria-label="${_("Earlier words")}">▲</button><span></span><button aria-label="${_("Later words")}">▼</button></p>`;
    [this.owner, this.canvas, this.window, this.pager] = ["small", "canvas", ".window", ".pager"].map((name) =>
      this.element.querySelector(name),
    );
    this.overview = new Overview(this);
    const [up, down] = this.pager.querySelectorAll("button");
    up.addEventListener("click", () => this.scroll(-WINDOW));
    down.addEventListener("click", () => this.scroll(WINDOW));
    this.window.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-address]");
      if (cell) pick({ memory, address: Number(cell.dataset.address) });
    });
    this.window.addEventListener("keydown", (event) => this.walk(event, pick));
  }

  // Arrow keys go from cell to cell, Enter chooses one.
  walk(event, pick) {
    const cell = event.target.closest("td[data-address]");
    if (!cell) return;
    const number = this.cells.indexOf(cell);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.across, ArrowDown: this.across }[event.key];
    if (event.key === "Enter" || event.key === " ") pick({ memory: this.memory, address: Number(cell.dataset.address) });
    else if (step === undefined) return;
    else {
      let next = number + step;
      if ((next < 0 && this.top > 0) || (next >= this.cells.length && this.top + WINDOW < this.rows.length)) {
        this.scroll(Math.sign(next));
        next = number;
      }
      const target = this.cells[next];
      if (target?.dataset.address !== undefined) this.focus(target);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  focus(cell) {
    for (const other of this.cells) if (other.tabIndex === 0) other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  }

  // Rows of the window: first addresses of the aligned rows in which some address is used.
  arrange(room) {
    const shown = this.layout.columns ?? this.fitting(room);
    if (shown === this.columns) return;
    this.columns = shown;
    const rows = new Set();
    for (const { start, count } of this.recording.slots[this.memory].runs) {
      for (let row = start - (start % shown); row < start + count; row += shown) rows.add(row);
    }
    this.rows = [...rows];
    this.rowOf = new Map(this.rows.map((row, i) => [row, i]));
    const { rows: name = String } = this.layout;
    this.label = 14 + 7.4 * letters(name === String ? name(this.rows.at(-1)) : name("00"));
    this.top = Math.max(0, Math.min(this.top, this.rows.length - WINDOW));
  }

  fitting(room) {
    const last = this.recording.used[this.memory].at(-1);
    const wanted = (room - 42 - 7.4 * String(last[0] + last[1]).length) / (this.width * FORMATS[this.format].room);
    return wanted >= 8 ? 8 : wanted >= 4 ? 4 : wanted >= 2 ? 2 : this.width === 2 ? 1 : 2;
  }

  // view: {history, previous, effects, format, picked, opening}; room: the width of a panel in pixels.
  draw(view, room) {
    this.view = view;
    this.format = this.layout.fixed ?? view.format;
    this.arrange(room);
    const name = owner(this.recording, this.memory, view.history.pe);
    if (this.owner.textContent !== name) this.owner.textContent = name;
    this.known = view.history.known(this.memory);
    this.words = view.history.memories[this.memory];
    this.effects = view.effects.filter((effect) => effect.memory === this.memory);
    this.element.classList.toggle("active", this.effects.length > 0);
    // Matrices have all their columns in sight, with fewer digits where there is little room.
    this.each = this.layout.columns === 8 ? Math.max(52, (room - 30 - this.label) / 8) : Infinity;
    this.follow();
    this.drawWindow();
    this.overview.draw(view, room);
  }

  // A number in as many characters as a cell has room for.
  short = (text) => narrow(text, Math.min(9, Math.floor((this.each - 12) / 7.3)));

  flags(address) {
    let flags = 0;
    for (const effect of this.effects) if (touches(effect, address)) flags |= effect.written ? WRITTEN : READ;
    return flags;
  }

  // Move the window to what this step touches, written words first; else to the chosen word.
  follow() {
    const first = (effects) => Math.min(...effects.flatMap(({ runs, own }) => own ?? runs.map(([start]) => start)));
    const written = this.effects.filter((effect) => effect.written);
    const touched = first(written.length ? written : this.effects);
    const { picked } = this.view;
    const target = picked?.memory === this.memory && (picked.fresh || !Number.isFinite(touched)) ? picked.address : touched;
    const row = Number.isFinite(target) ? this.rowOf.get(target - (target % this.columns)) : undefined;
    if (row !== undefined && (row < this.top || row >= this.top + WINDOW)) this.top = row;
    this.top = Math.max(0, Math.min(this.top, this.rows.length - WINDOW));
  }

  scroll(rows) {
    this.top = Math.max(0, Math.min(this.top + rows, this.rows.length - WINDOW));
    this.drawWindow();
  }

  // The empty table, made anew where its form changes.
  build() {
    const size = this.width === 1 && !this.layout.flags ? FORMATS[this.format].words : 1;
    const count = Math.min(WINDOW, this.rows.length);
    const key = [this.columns, this.format, size, this.known || this.recording.missing(), this.each].join();
    if (key === this.key) return;
    Object.assign(this, { key, size, across: this.columns / size });
    if (!this.known) {
      this.window.innerHTML = `<p class="unknown">${this.recording.missing()}</p>`;
      this.lines = [];
      this.cells = [];
      return;
    }
    const cells = `<td colspan="${size}" tabindex="-1"></td>`.repeat(this.across);
    const width = this.label + this.columns * this.width * Math.min(FORMATS[this.format].room, this.each);
    this.window.innerHTML =
      `<table style="min-width:${width}px"><caption>${this.layout.title}</caption><colgroup>` +
      `<col style="width:${this.label}px"></colgroup><tbody>${`<tr><th scope="row"></th>${cells}</tr>`.repeat(count)}</tbody></table>`;
    this.lines = [...this.window.querySelectorAll("tr")];
    this.cells = [...this.window.querySelectorAll("td")];
    this.shown = this.cells.map(() => ({}));
  }

  drawWindow() {
    this.build();
    const rows = this.rows.slice(this.top, this.top + this.lines.length);
    rows.forEach((row, i) => {
      const line = this.lines[i];
      line.classList.toggle("gap", i > 0 && row !== rows[i - 1] + this.columns);
      const label = this.layout.rows ? this.layout.rows(row / this.columns) : String(row);
      if (line.firstChild.textContent !== label) line.firstChild.textContent = label;
      for (let n = 0; n < this.across; n++) this.drawCell(i * this.across + n, row + n * this.size);
    });
    if (this.cells.length && !this.cells.some((cell) => cell.tabIndex === 0)) this.cells[0].tabIndex = 0;
    this.pager.hidden = this.rows.length <= WINDOW;
    if (this.pager.hidden) return;
    const last = this.rows[Math.min(this.top + WINDOW, this.rows.length) - 1] + this.columns - 1;
    const all = `${this.rows[0]}–${this.rows.at(-1) + this.columns - 1}`;
    const places = { some: `${this.rows[this.top]}–${last}`, all };
    this.pager.querySelector("span").textContent =
      this.width === 2 ? _("long words {some} of {all}", places) : _("words {some} of {all}", places);
  }

  drawCell(number, address) {
    const cell = this.cells[number];
    const shown = this.shown[number];
    const slot = this.recording.slot(this.memory, address);
    const found = slot < 0 ? { text: "", names: "unused", tint: "", address: "" } : this.content(slot, address);
    if (shown.text !== found.text) cell.textContent = found.text;
    if (shown.names !== found.names) cell.className = found.names;
    if (shown.tint !== found.tint) cell.style.background = found.tint;
    if (shown.address !== found.address) {
      if (found.address === "") cell.removeAttribute("data-address");
      else cell.dataset.address = found.address;
    }
    this.shown[number] = found;
  }

  content(slot, address) {
    const words = Array.from(this.words.subarray(slot * this.width, (slot + this.size) * this.width));
    let flags = 0;
    for (let i = 0; i < this.size; i++) flags |= this.flags(address + i);
    const at = (place) => place?.memory === this.memory && place.address >= address && place.address < address + this.size;
    const { picked, opening } = this.view;
    const junk = words.some((word) => this.recording.isJunk(word));
    const names = [
      flags & READ && "read", flags & WRITTEN && "write", at(picked) && "picked", junk && "junk",
      at(opening) && opening.unit === this.recording.unitOf(this.memory, this.view.history.pe) && "wrong",
      words.every((word) => !word) && "zero",
    ];
    const text = junk ? _("junk") : (this.layout.flags ? flagText(words[0]) : elements(words, this.format, this.short)).join(" ");
    const tint = junk || this.layout.flags ? "transparent" : css(colour(words, this.format));
    return { text, names: names.filter(Boolean).join(" "), tint, address };
  }
}
