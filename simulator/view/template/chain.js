// The chosen word: its value in every format, who wrote it, and from what, back to the start; and words that are watched.

const DEPTH = 3;
const BREADTH = 4;
const OPERANDS = { from: _("from"), "zero-flush": _("zero-flush") }; // others are letters

class Chain {
  constructor(recording) {
    this.recording = recording;
    this.flow = new Flow(recording);
  }

  // The text for a picked word {memory, address} of a unit after a frame.
  text({ memory, address }, pe, frame, format) {
    const { recording } = this;
    const unit = recording.unitOf(memory, pe);
    const width = recording.width(memory);
    const found = recording.lastWrite(memory, address, unit, frame);
    const words = found ? found.words : Array(width).fill(0);
    const forms = Object.keys(FORMATS).filter((name) => FORMATS[name].words <= width);
    const values = !words ? _("not recorded")
      : LAYOUTS[memory].flags ? flagText(words[0]).join(" ")
      : words.some((word) => recording.isJunk(word)) ? _("junk: nobody has put anything there")
      : forms.map((name) => `${FORMATS[name].name} <b>${elements(words, name).join(", ")}</b>`).join(" · ");
    const halves = width === 2 ? [0, 1] : [0];
    const trees = halves.map((half) => this.node({ memory, address, half, unit }, frame, format, "", DEPTH, width === 2));
    const name = _("{word} of {unit}", { word: `<b>${wordName(memory, address)}</b>`, unit: owner(recording, memory, pe) });
    return `<p>${name}: ${values}</p><ul class="chain">${trees.join("")}</ul>`;
  }

  // A word, who wrote it, and below it the words it was made of. `frame`: the word as it is after this frame.
  node(word, frame, format, name, depth, named) {
    const origin = this.flow.origin(word, frame);
    const part = name ? `${OPERANDS[name] ?? name} = ` : "";
    const label = named ? `${part}${this.word(word, frame)} ${this.value(word, origin, format)}: ` : "";
    const by = `<li>${label}${this.writer(origin)}`;
    if (origin.frame <= 0 || !origin.inputs.length || depth === 0) return `${by}</li>`;
    const before = origin.frame - 1;
    const below = (input) => this.node(input.word, before, format, input.name, depth - 1, true);
    const shown = origin.inputs.slice(0, BREADTH).map(below);
    const more = origin.inputs.length - shown.length;
    if (more > 0) shown.push(`<li>${_("and {count} more words", { count: more })}</li>`);
    return `${by}<ul>${shown.join("")}</ul></li>`;
  }

  writer({ frame, text, cycle, value }) {
    const { recording } = this;
    if (frame < 0) return _("never written");
    if (frame === 0) return recording.isJunk(value) ? _("never written, and not given") : _("there from the start");
    const line = lineButton(recording, frame);
    const code = `<code>${escapeText(text ?? recording.frames[frame].text)}</code>`;
    if (cycle === null || cycle === undefined) return _("written by {line} {code}", { line, code });
    return _("written by {line}, cycle {cycle} {code}", { line, cycle, code });
  }

  value({ memory }, { value }, format) {
    if (value === null) return _("(not recorded)");
    if (this.recording.isJunk(value)) return _("(junk)");
    if (format === "float" && value && value < 1 << 23) return _("({value}, an integer)", { value }); // no single but zero
    const name = format === "double" ? "hex" : format;
    return `(${LAYOUTS[memory].flags ? flagText(value).join(" ") : elements([value], LAYOUTS[memory].fixed ?? name).join(" ")})`;
  }

  // A button that chooses the word; `frame`: where it is read.
  word({ memory, address, half, unit }, frame) {
    const pe = this.recording.firstPe(memory, unit);
    const word = wordName(memory, address);
    const name = this.recording.width(memory) === 1 ? word : half ? _("{word} low", { word }) : _("{word} high", { word });
    return (
      `<button class="link" data-memory="${memory}" data-address="${address}" data-pe="${pe}" data-at="${frame}">` +
      `${name}</button> <small>${owner(this.recording, memory, pe)}</small>`
    );
  }
}

function lineButton(recording, frame) {
  const name = _("line {number}", { number: recording.frames[frame].line });
  return `<button class="link" data-frame="${frame}">${name}</button>`;
}

class Watches {
  constructor(recording) {
    this.recording = recording;
    this.list = []; // {memory, address, pe, stop}
  }

  toggle(word) {
    const known = this.list.findIndex((one) => ["memory", "address", "pe"].every((key) => one[key] === word[key]));
    if (known >= 0) this.list.splice(known, 1);
    else this.list.push({ ...word, stop: false });
  }

  // Whether a frame writes a watched word that is to stop the run.
  stops(frame) {
    return this.list.some(({ memory, address, pe, stop }) =>
      stop && this.recording.lastWrite(memory, address, this.recording.unitOf(memory, pe), frame)?.frame === frame);
  }

  text(frame, format) {
    return this.list.map(({ memory, address, pe, stop }, number) => {
      const found = this.recording.lastWrite(memory, address, this.recording.unitOf(memory, pe), frame);
      const words = found ? found.words : Array(this.recording.width(memory)).fill(0);
      const name = _("{word} of {unit}", { word: wordName(memory, address), unit: owner(this.recording, memory, pe) });
      const by = !found ? _("never written") : found.frame === 0 ? _("from the start") : lineButton(this.recording, found.frame);
      return `<tr class="${found?.frame === frame && frame ? "now" : ""}"><th scope="row"><button class="link" data-memory="${memory}"` +
        ` data-address="${address}" data-pe="${pe}">${name}</button></th>` +
        `<td>${words ? valueText(this.recording, memory, words, format) : _("not recorded")}</td><td>${by}</td>` +
        `<td><label><input type="checkbox" data-stop="${number}"${stop ? " checked" : ""}> ${_("stop when written")}</label></td>` +
        `<td><button data-remove="${number}" aria-label="${_("Watch {name} no longer", { name })}">✕</button></td></tr>`;
    }).join("");
  }
}
