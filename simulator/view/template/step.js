// What this step does in the chosen unit, in words and values.

const MOST = 8; // values shown of one access
const LOOKED_AT = 96; // words of one access that are looked at for that
const PASSING = ["aluf", "mauf", "lbf", "mreadf", "turn"]; // replaced by every step that uses the unit
const ALL_UNITS = {
  pe: (count) => _("all {count} PEs", { count }),
  mab: (count) => _("all {count} MABs", { count }),
  l1b: (count) => _("all {count} L1Bs", { count }),
  l2b: (count) => _("all {count} L2Bs", { count }),
  group: (count) => _("all {count} groups", { count }),
};
const SOME_UNITS = {
  pe: (some, count) => _("{some} of {count} PEs", { some, count }),
  mab: (some, count) => _("{some} of {count} MABs", { some, count }),
  l1b: (some, count) => _("{some} of {count} L1Bs", { some, count }),
  l2b: (some, count) => _("{some} of {count} L2Bs", { some, count }),
  group: (some, count) => _("{some} of {count} groups", { some, count }),
};

// What a check has to say about a line.
function remarkText([severity, message, fix]) {
  if (!fix) return _("{severity}: {message}.", { severity, message });
  return _("{severity}: {message}. Try: {fix}.", { severity, message, fix });
}

class Step {
  constructor(recording) {
    this.recording = recording;
  }

  draw(view, pe) {
    const { text, words, more = "", remarks = [], printed = [] } = this.recording.frames[view.frame];
    put("whose", view.frame ? _("in {unit}", { unit: unitName(pe) }) : "");
    put("line", view.frame ? highlight(text) : _("Start"));
    put("words", words.map((sentence) => `<p>${escapeText(sentence)}</p>`).join("") +
      remarks.map((remark) => `<p class="remark">${escapeText(remarkText(remark))}</p>`).join(""));
    put("accesses", view.frame ? this.effects(view, pe) : "");
    for (const [id, content] of [["more", more], ["printed", printed.join("\n")]]) {
      at(id).hidden = !content;
      if (at(id).lastElementChild.textContent !== content) at(id).lastElementChild.textContent = content;
    }
  }

  effects(view, pe) {
    const merged = new Map();
    for (const effect of view.effects) {
      const key = `${effect.written}${effect.memory}`;
      if (!merged.has(key)) merged.set(key, []);
      merged.get(key).push(effect);
    }
    const entries = [...merged.values()].sort(([a], [b]) => a.written - b.written);
    if (!entries.length) {
      const others = this.recording.frames[view.frame].accesses.length > 0;
      return `<p>${others ? _("{unit} takes no part in this step.", { unit: unitName(pe) }) : _("No memory is read or written.")}</p>`;
    }
    return `<table class="effects"><tbody>${entries.map((entry) => this.row(entry, view)).join("")}</tbody></table>`;
  }

  row(effects, view) {
    const { recording } = this;
    const [{ memory, written, known }] = effects;
    const all = [...new Set(effects.flatMap((effect) => firstAddresses(effect, LOOKED_AT)))].sort((a, b) => a - b);
    const addresses = all.slice(0, LOOKED_AT);
    const runs = this.runs(memory, written, addresses, view);
    const chips = runs.slice(0, MOST).map((run) => this.runText(memory, written, run));
    const total = effects.reduce((sum, { count }) => sum + count, 0);
    if (runs.length > MOST || all.length > LOOKED_AT || total > addresses.length) chips.push(`<span>${_("and more")}</span>`);
    const { level } = recording.memories[memory];
    const taking = recording.count(view.frame, memory, written);
    const units = LEVELS[level].toLocaleString("en");
    const where = taking === LEVELS[level] ? ALL_UNITS[level](units) : SOME_UNITS[level](taking, units);
    const unknown = `<span class="unknown">${recording.missing()}</span>`;
    const places = {
      memory: `<button class="link" data-panel="${memory}">${LAYOUTS[memory].title}</button>`,
      where: `<small>${where}</small>`,
    };
    const head = written ? _("writes {memory} {where}", places) : _("reads {memory} {where}", places);
    return (
      `<tr class="${written ? "write" : "read"}"><th scope="row">${head}</th>` +
      `<td>${known ? chips.join(" ") : unknown}</td></tr>`
    );
  }

  // Neighbours with one value are one.
  runs(memory, written, addresses, view) {
    const { recording } = this;
    const format = LAYOUTS[memory].fixed ?? view.format;
    const width = recording.width(memory);
    const size = width === 1 && !LAYOUTS[memory].flags ? FORMATS[format].words : 1;
    const now = view.history.memories[memory];
    const previous = view.previous[memory];
    const runs = [];
    for (let i = 0; i < addresses.length; i += size) {
      const places = addresses.slice(i, i + size).flatMap((address) => {
        const first = width * recording.slot(memory, address);
        return width === 2 ? [first, first + 1] : [first];
      });
      const after = valueText(recording, memory, places.map((place) => now[place]), format);
      const before = valueText(recording, memory, places.map((place) => previous.get(place) ?? now[place]), format);
      const [first, last] = [addresses[i], addresses[Math.min(i + size, addresses.length) - 1]];
      const run = runs.at(-1);
      const same = run && run.after === after && (PASSING.includes(memory) || run.before === before);
      if (same && recording.slot(memory, first) === recording.slot(memory, run.last) + 1) run.last = last;
      else runs.push({ first, last, before, after });
    }
    return runs;
  }

  // `8–9: 0 → 1.5`. What a unit put out before says nothing about this step.
  runText(memory, written, { first, last, before, after }) {
    const place = addressName(memory, first) + (last > first ? `–${addressName(memory, last)}` : "");
    let change = written ? `<b>${after}</b>` : before;
    if (written && !PASSING.includes(memory)) {
      change = before === after ? `${after} <small>${_("(same)")}</small>` : `<s>${before}</s> ${change}`;
    }
    return `<span class="chip-value"><i>${place}</i> ${change}</span>`;
  }
}
