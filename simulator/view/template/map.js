// The chip as a map: its 4,096 PEs, the memories above them, and arrows for words that move between them.

// Groups 2 x 2, L2Bs one above the other, L1Bs 4 x 2, MABs 4 x 4, PEs 2 x 2; strips for the memories of the levels.
const STRIP = { l1bm: 5, l2bm: 6, group: 11 };
const GAP = { group: 12, l2b: 6, l1b: 3 };

class Geometry {
  constructor(cell) {
    this.cell = cell;
    const block = 8 * cell;
    const l1b = { width: block + GAP.l1b, height: STRIP.l1bm + block + GAP.l1b };
    const l2b = { width: 4 * l1b.width, height: STRIP.l2bm + 2 * l1b.height + GAP.l2b };
    const group = { width: STRIP.group + 3 + l2b.width, height: 2 * l2b.height };
    this.width = 2 * group.width + GAP.group + 6;
    this.height = 2 * group.height + GAP.group + 2;
    this.boxes = { l1bm: [], l2bm: [], dram: [], pdm: [], l1b: [] };
    this.corners = []; // of the blocks of PEs, by L1B
    for (let n = 0; n < 4; n++) {
      const right = n % 2;
      const x = 3 + right * (group.width + GAP.group);
      const y = 3 + (n >> 1) * (group.height + GAP.group);
      const bar = right ? x + group.width - STRIP.group - GAP.l1b : x;
      const inner = right ? x : x + STRIP.group + 3;
      const tall = group.height - GAP.l2b;
      this.boxes.dram.push([bar, y, STRIP.group, tall * 0.62]);
      this.boxes.pdm.push([bar, y + tall * 0.62 + 3, STRIP.group, tall * 0.38 - 3]);
      for (let c = 0; c < 2; c++) {
        const top = y + c * l2b.height;
        this.boxes.l2bm.push([inner, top, l2b.width - GAP.l1b, STRIP.l2bm - 2]);
        for (let b = 0; b < 8; b++) {
          const left = inner + (b % 4) * l1b.width;
          const high = top + STRIP.l2bm + (b >> 2) * l1b.height;
          this.boxes.l1bm.push([left, high, block - 1, STRIP.l1bm - 2]);
          this.boxes.l1b.push([left, high + STRIP.l1bm, block - 1, block - 1]);
          this.corners.push([left, high + STRIP.l1bm]);
        }
      }
    }
  }

  // The corner of a PE.
  at(pe) {
    const [left, top] = this.corners[pe >> 6];
    const [m, p] = [(pe >> 2) & 15, pe & 3];
    return [left + this.cell * (2 * (m % 4) + (p % 2)), top + this.cell * (2 * (m >> 2) + (p >> 1))];
  }

  find(x, y) {
    const block = 8 * this.cell;
    const l1b = this.corners.findIndex(([left, top]) => x >= left && x < left + block && y >= top && y < top + block);
    if (l1b < 0) return null;
    const [column, row] = [x - this.corners[l1b][0], y - this.corners[l1b][1]].map((d) => Math.floor(d / this.cell));
    return 64 * l1b + 16 * (row >> 1) + 4 * (column >> 1) + 2 * (row % 2) + (column % 2);
  }
}

class ChipMap {
  constructor(choose) {
    this.canvas = document.getElementById("map");
    this.caption = document.getElementById("map-caption");
    this.canvas.addEventListener("click", (event) => {
      const found = this.geometry.find(event.offsetX, event.offsetY);
      if (found !== null) choose(found);
    });
    this.stamps = new Map();
  }

  resize(room) {
    const cell = Math.max(3, Math.min(8, Math.floor((room - 70) / 64)));
    if (this.geometry?.cell === cell && this.scale === (window.devicePixelRatio || 1)) return;
    this.scale = window.devicePixelRatio || 1;
    this.geometry = new Geometry(cell);
    const { width, height } = this.geometry;
    Object.assign(this.canvas, { width: width * this.scale, height: height * this.scale });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    this.context = this.canvas.getContext("2d");
    this.forget();
  }

  forget() {
    this.stamps.clear();
    this.written = null;
  }

  // touched: flags by level; colours: null, or a colour for every PE; arrows: those of the frame.
  draw({ pe, touched, colours, arrows, caption, ink }) {
    const { context, geometry } = this;
    if (this.ink !== ink) this.forget();
    this.ink = ink;
    this.caption.textContent = caption;
    this.canvas.setAttribute("aria-label", caption);
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, geometry.width, geometry.height);
    for (let l1b = 0; l1b < 64; l1b++) this.block(l1b, touched, colours);
    for (const [memory, level] of [["l1bm", "l1b"], ["l2bm", "l2b"], ["dram", "group"], ["pdm", "group"]]) {
      geometry.boxes[memory].forEach((box, unit) => {
        const flags = touched.memories[memory]?.[unit] ?? 0;
        context.fillStyle = ink.flags[flags];
        context.fillRect(...box);
        if (level === "group" && !flags) this.outline(box);
      });
    }
    this.names();
    if (!colours) for (const arrow of arrows) this.arrow(arrow, touched);
    const [x, y] = geometry.at(pe);
    context.strokeStyle = ink.text;
    context.lineWidth = 2;
    context.strokeRect(x - 2, y - 2, geometry.cell + 3, geometry.cell + 3);
  }

  outline([x, y, width, height]) {
    this.context.strokeStyle = this.ink.line;
    this.context.lineWidth = 1;
    this.context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  }

  // The names of the memories, written once: to write them in every step takes as long as all the rest.
  names() {
    const { width, height } = this.canvas;
    if (!this.written) {
      this.written = Object.assign(document.createElement("canvas"), { width, height });
      this.writeNames(this.written.getContext("2d"));
    }
    this.context.drawImage(this.written, 0, 0, width / this.scale, height / this.scale);
  }

  writeNames(context) {
    const { geometry } = this;
    context.scale(this.scale, this.scale);
    context.fillStyle = this.ink.text;
    context.strokeStyle = this.ink.panel;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const [memory, name] of [["dram", "DRAM"], ["pdm", "PDM"]]) {
      for (const [x, y, width, height] of geometry.boxes[memory]) {
        if (height < 40) continue;
        context.save();
        context.translate(x + width / 2 + 0.5, y + height / 2);
        context.rotate(-Math.PI / 2);
        context.strokeText(name, 0, 0); // a rim, so that it is read on any colour
        context.fillText(name, 0, 0);
        context.restore();
      }
    }
  }

  // The 64 PEs of an L1B. Blocks look alike most of the time, so each look is painted once.
  block(l1b, touched, colours) {
    const { context, geometry } = this;
    const [left, top] = geometry.corners[l1b];
    if (colours) {
      for (let i = 0; i < 64; i++) {
        const [x, y] = geometry.at(64 * l1b + i);
        context.fillStyle = this.ink.flags[0];
        context.fillRect(x, y, geometry.cell - 1, geometry.cell - 1);
        context.fillStyle = colours[64 * l1b + i];
        context.fillRect(x, y, geometry.cell - 1, geometry.cell - 1);
      }
      return;
    }
    let key = "";
    for (let i = 0; i < 64; i++) key += touched.pe[64 * l1b + i] | touched.mab[16 * l1b + (i >> 2)];
    if (!this.stamps.has(key)) this.stamps.set(key, this.stamp(key));
    context.drawImage(this.stamps.get(key), left, top, 8 * geometry.cell, 8 * geometry.cell);
  }

  stamp(key) {
    const { cell, corners } = this.geometry;
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 8 * cell * this.scale;
    const context = canvas.getContext("2d");
    context.scale(this.scale, this.scale);
    for (let i = 0; i < 64; i++) {
      const [x, y] = this.geometry.at(i);
      context.fillStyle = this.ink.flags[key[i]];
      context.fillRect(x - corners[0][0], y - corners[0][1], cell - 1, cell - 1);
    }
    return canvas;
  }

  // One arrow per pair of units between which words move.
  arrow([from, to, pairs], touched) {
    const box = (memory, unit) => this.geometry.boxes[memory === "pe" ? "l1b" : memory]?.[unit];
    for (const [source, target] of pairs ?? this.pairs(from, to, touched)) {
      const [a, b] = [box(from, source), box(to, target)];
      if (a && b) this.line(a, b, from === "dram" || from === "pdm", to === "dram" || to === "pdm");
    }
  }

  // Units that take part, each with the one above it.
  pairs(from, to, touched) {
    const level = { pe: 64, turn: 64, turnaround: 64, l1bm: 64, l2bm: 8 };
    const lower = level[from] >= level[to] ? from : to;
    const upper = lower === from ? to : from;
    const share = level[lower] / level[upper];
    const taking = (unit) => {
      if (lower !== "pe" && upper !== "pe") return touched.memories[lower]?.[unit];
      for (let pe = 64 * unit; pe < 64 * unit + 64; pe++) if (touched.pe[pe]) return true;
      return touched.memories.l1bm?.[unit];
    };
    const units = Array.from({ length: level[lower] }, (_, unit) => unit).filter(taking);
    return units.map((unit) => (lower === from ? [unit, Math.floor(unit / share)] : [Math.floor(unit / share), unit]));
  }

  line(a, b) {
    const { context } = this;
    const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];
    let [[x1, y1], [x2, y2]] = [middle(a), middle(b)];
    if (a[2] > 4 * this.geometry.cell * 8) x1 = Math.max(a[0], Math.min(a[0] + a[2], x2)); // straight from a long strip
    if (b[2] > 4 * this.geometry.cell * 8) x2 = Math.max(b[0], Math.min(b[0] + b[2], x1));
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const head = 5;
    context.strokeStyle = context.fillStyle = this.ink.move;
    context.lineWidth = 1.3;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - head * Math.cos(angle - 0.5), y2 - head * Math.sin(angle - 0.5));
    context.lineTo(x2 - head * Math.cos(angle + 0.5), y2 - head * Math.sin(angle + 0.5));
    context.fill();
  }
}
