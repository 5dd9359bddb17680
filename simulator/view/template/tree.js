// Buttons to choose group, L2B, L1B, MAB and PE, marked where a step reads or writes below them.

const TREE = [
  { letter: "n", title: _("Group"), level: "group" },
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

// `n0c1b2m3p0`, or the first letters of it.
function parseUnit(name) {
  const match = /^n(\d+)(?:c(\d+)(?:b(\d+)(?:m(\d+)(?:p(\d+))?)?)?)?$/.exec(name.trim());
  if (!match || TREE.some(({ count }, i) => Number(match[i + 1] ?? 0) >= count)) return null;
  return TREE.reduce((pe, { below }, i) => pe + below * Number(match[i + 1] ?? 0), 0);
}

function touchedName(unit, flags) {
  if (flags & WRITTEN) return _("{unit}, written in this step", { unit });
  return flags ? _("{unit}, read in this step", { unit }) : unit;
}

class Tree {
  constructor(choose) {
    this.element = document.getElementById("tree");
    this.element.innerHTML = TREE.map(
      ({ title, count, letter }) =>
        `<div class="row" role="group" aria-label="${title}"><span>${title}</span>` +
        Array.from({ length: count }, (_, i) => `<button data-level="${letter}">${i}</button>`).join("") +
        "</div>",
    ).join("");
    this.rows = [...this.element.children].map((row) => [...row.querySelectorAll("button")]);
    this.element.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) choose(Number(button.dataset.pe));
    });
  }

  draw(pe, touched) {
    TREE.forEach(({ count, below, title }, depth) => {
      const base = pe - (pe % (below * count));
      this.rows[depth].forEach((button, i) => {
        const target = pe + (i - (Math.floor(pe / below) % count)) * below;
        const flags = this.below(touched, base + i * below, below);
        const key = `${target} ${target === pe} ${flags}`;
        if (button.key === key) return;
        button.key = key;
        button.dataset.pe = target;
        button.setAttribute("aria-pressed", String(target === pe));
        button.classList.toggle("written", Boolean(flags & WRITTEN));
        button.classList.toggle("read", flags === READ);
        button.setAttribute("aria-label", touchedName(`${title} ${i}`, flags));
        button.title = touchedName(unitName(target, depth + 1), flags);
      });
    });
  }

  // Flags of everything in the PEs from `first` on, with the memories that lie at or below that level.
  below(touched, first, count) {
    let flags = 0;
    for (const [level, shift] of Object.entries(SHIFTS)) {
      const size = 1 << shift;
      if (size > count) continue;
      for (let unit = first >> shift; unit < (first + count) >> shift && flags !== 3; unit++) flags |= touched[level][unit];
    }
    return flags;
  }
}
