// The chip: a map of its 4,096 PEs, and buttons to choose group, L2B, L1B, MAB and PE.

const TREE = [
  { letter: "n", title: "Group", level: "group" },
  { letter: "c", title: "L2B", level: "l2b" },
  { letter: "b", title: "L1B", level: "l1b" },
  { letter: "m", title: "MAB", level: "mab" },
  { letter: "p", title: "PE", level: "pe" },
].map((unit, i, all) => ({
  ...unit,
  count: LEVELS[unit.level] / (i ? LEVELS[all[i - 1].level] : 1),
  below: LEVELS.pe / LEVELS[unit.level],
}));

function unitName(pe, levels = 5) {
  return TREE.slice(0, levels).map(({ letter, count, below }) => letter + (Math.floor(pe / below) % count)).join("");
}

function parseUnit(name) {
  const match = /^n(\d+)c(\d+)b(\d+)m(\d+)p(\d+)$/.exec(name);
  if (!match || TREE.some(({ count }, i) => Number(match[i + 1]) >= count)) return null;
  return TREE.reduce((pe, { below }, i) => pe + below * Number(match[i + 1]), 0);
}

// Map coordinates: groups 2 x 2, L2Bs one above the other, L1Bs 4 x 2, MABs 4 x 4, PEs 2 x 2.
const GAPS = { group: 8, l2b: 3, l1b: 2 };

function place(pe) {
  const [n, c, b, m, p] = TREE.map(({ below, count }) => Math.floor(pe / below) % count);
  const column = 32 * (n % 2) + 8 * (b % 4) + 2 * (m % 4) + (p % 2);
  const row = 32 * (n >> 1) + 16 * c + 8 * (b >> 2) + 2 * (m >> 2) + (p >> 1);
  const x = GAPS.l1b * (b % 4) + (n % 2) * (GAPS.group + 3 * GAPS.l1b);
  const y = GAPS.l1b * (b >> 2) + c * (GAPS.l2b + GAPS.l1b) + (n >> 1) * (GAPS.group + GAPS.l2b + 2 * GAPS.l1b);
  return { column, row, x, y };
}

class Chip {
  constructor(choose) {
    this.canvas = document.getElementById("map");
    this.tree = document.getElementById("tree");
    this.places = Array.from({ length: LEVELS.pe }, (_, pe) => place(pe));
    this.canvas.addEventListener("click", (event) => {
      const found = this.find(event.offsetX, event.offsetY);
      if (found !== null) choose(found);
    });
    this.tree.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) choose(Number(button.dataset.pe));
    });
    this.buildTree();
  }

  buildTree() {
    this.tree.innerHTML = TREE.map(
      ({ title, count, letter }) =>
        `<div class="row" role="group" aria-label="${title}"><span>${title}</span>` +
        Array.from({ length: count }, (_, i) => `<button data-level="${letter}">${i}</button>`).join("") +
        "</div>",
    ).join("");
  }

  find(x, y) {
    const { cell } = this;
    const inside = ({ column, row, x: dx, y: dy }) => {
      const left = 4 + column * cell + dx;
      const top = 4 + row * cell + dy;
      return x >= left && x < left + cell && y >= top && y < top + cell;
    };
    const found = this.places.findIndex(inside);
    return found < 0 ? null : found;
  }

  // touched: flags by level; colours: null, or a colour for every PE.
  draw(pe, touched, colours, caption) {
    this.drawTree(pe, touched);
    this.canvas.setAttribute("aria-label", caption);
    document.getElementById("map-caption").textContent = caption;
    const width = Math.min(460, this.canvas.parentElement.clientWidth, Math.max(250, 0.36 * window.innerHeight));
    this.cell = Math.max(3, Math.floor((width - 40) / 64));
    const size = { width: 64 * this.cell + 28, height: 64 * this.cell + 30 };
    const scale = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: size.width * scale, height: size.height * scale });
    Object.assign(this.canvas.style, { width: `${size.width}px`, height: `${size.height}px` });
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    const theme = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const ink = { 0: theme("--cell"), 1: theme("--read"), 2: theme("--write"), 3: theme("--write") };
    this.blocks(context, colours ? null : touched, ink, theme("--line"));
    this.places.forEach(({ column, row, x, y }, number) => {
      const flags = touched.pe[number] | touched.mab[number >> 2];
      const box = [4 + column * this.cell + x, 4 + row * this.cell + y, this.cell - 1, this.cell - 1];
      context.fillStyle = colours ? ink[0] : ink[flags];
      context.fillRect(...box);
      if (colours) {
        context.fillStyle = colours[number];
        context.fillRect(...box);
      }
    });
    const { column, row, x, y } = this.places[pe];
    context.strokeStyle = theme("--text");
    context.lineWidth = 2;
    context.strokeRect(2 + column * this.cell + x, 2 + row * this.cell + y, this.cell + 3, this.cell + 3);
  }

  // Frames around L1Bs, L2Bs and groups whose own memory takes part; around groups always.
  blocks(context, touched, ink, line) {
    for (const [level, margin] of [["group", 4], ["l2b", 2.5], ["l1b", 1]]) {
      const below = LEVELS.pe / LEVELS[level];
      for (let unit = 0; unit < LEVELS[level]; unit++) {
        const flags = touched ? touched[level][unit] : 0;
        if (level !== "group" && !flags) continue;
        const first = this.places[unit * below];
        const last = this.places[(unit + 1) * below - 1];
        const left = 4 + first.column * this.cell + first.x - margin;
        const top = 4 + first.row * this.cell + first.y - margin;
        const width = (last.column + 1 - first.column) * this.cell + last.x - first.x - 1 + 2 * margin;
        const height = (last.row + 1 - first.row) * this.cell + last.y - first.y - 1 + 2 * margin;
        context.strokeStyle = flags ? ink[flags] : line;
        context.lineWidth = flags ? 1.5 : 1;
        context.strokeRect(left, top, width, height);
      }
    }
  }

  drawTree(pe, touched) {
    TREE.forEach(({ count, below, title }, depth) => {
      const buttons = this.tree.children[depth].querySelectorAll("button");
      const base = pe - (pe % (below * count));
      buttons.forEach((button, i) => {
        const target = pe + (i - (Math.floor(pe / below) % count)) * below;
        button.dataset.pe = target;
        button.setAttribute("aria-pressed", String(target === pe));
        const flags = this.below(touched, base + i * below, below);
        button.classList.toggle("written", Boolean(flags & WRITTEN));
        button.classList.toggle("read", flags === READ);
        const what = flags & WRITTEN ? ", written in this step" : flags ? ", read in this step" : "";
        button.setAttribute("aria-label", `${title} ${i}${what}`);
        button.title = `${unitName(target, depth + 1)}${what}`;
      });
    });
  }

  // Flags of everything in the PEs from `first` on, with the memories that lie at or below that level.
  below(touched, first, count) {
    let flags = 0;
    for (const [level, shift] of Object.entries(SHIFTS)) {
      const size = 1 << shift;
      if (size > count) continue;
      for (let unit = first >> shift; unit < (first + count) >> shift; unit++) flags |= touched[level][unit];
    }
    return flags;
  }
}
