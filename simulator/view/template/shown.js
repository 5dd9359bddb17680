// Small things that the page shows: colours of the theme, what the map says, and where the page opens.

// The colours of the style sheet, asked for once per theme.
function inkOf() {
  const style = getComputedStyle(document.documentElement);
  const theme = (name) => style.getPropertyValue(name).trim();
  const number = (name) => {
    const [r, g, b] = theme(name).match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  };
  const [read, write] = [theme("--read"), theme("--write")];
  return {
    text: theme("--text"), panel: theme("--panel"), quiet: theme("--quiet"), line: theme("--line"), cell: theme("--cell"), warn: theme("--warn"),
    move: theme("--move"), flags: [theme("--cell"), read, write, write],
    lanes: ["--lane0", "--lane1", "--lane2", "--lane3", "--lane4"].map(theme),
    readPixel: number("--read"), writePixel: number("--write"),
  };
}

// Put the panels into a box in this order, moving as few as can be: each that moves is laid out anew.
function arrange(box, panels) {
  let next = box.firstElementChild;
  for (const { element } of panels) {
    if (element === next) next = next.nextElementSibling;
    else box.insertBefore(element, next);
  }
}

// Where a frame of the recording stands.
function placeText({ step, count, line }) {
  if (step === undefined) return _("line {number}", { number: line });
  const cycles = { first: 4 * step, last: 4 * (step + count) - 1 };
  return _("line {line} · step {step} · cycles {first}–{last}", { line, step, ...cycles });
}

// What the map shows of a step, in words.
function touchedText(touched) {
  let [written, read] = [0, 0];
  touched.pe.forEach((flags, pe) => {
    const both = flags | touched.mab[pe >> 2];
    if (both & WRITTEN) written++;
    else if (both) read++;
  });
  const above = Object.keys(touched.memories).filter((memory) => touched.memories[memory].some(Boolean));
  const parts = [
    written && _("{count} PEs written", { count: written.toLocaleString("en") }),
    read && _("{count} PEs only read", { count: read.toLocaleString("en") }),
    above.length && _("with {memories}", { memories: listed(above.map((memory) => LAYOUTS[memory].title)) }),
  ].filter(Boolean);
  if (!parts.length) return _("nothing is touched");
  return parts.reduce((before, last) => _("{before}; {last}", { before, last }));
}

// The chosen word in every unit, as colours for the map.
function valuesOn({ recording, picked, frame, format }) {
  const { words, known } = recording.across(picked.memory, picked.address, frame);
  const width = recording.width(picked.memory);
  const shown = format === "double" && width === 1 ? "hex" : format;
  const tints = Array.from(known, (is, unit) =>
    css(is ? colour(Array.from(words.subarray(unit * width, (unit + 1) * width)), shown) : [128, 128, 128, 0.25]),
  );
  const colours = Array.from({ length: LEVELS.pe }, (_, pe) => tints[recording.unitOf(picked.memory, pe)]);
  const word = wordName(picked.memory, picked.address);
  const caption = known.every(Boolean) ? _("{word} in every unit, as colours", { word })
    : _("{word} in every unit, as colours; grey: not recorded", { word });
  return { colours, caption };
}

// Where a debugger's page begins, with the word in question as a place of the memories; null where there is none.
function openingOf(recording) {
  const { opening } = recording;
  if (!opening) return null;
  return opening.memory ? { ...opening, unit: recording.unitOf(opening.memory, opening.pe) } : opening;
}

function openingText(opening, recording) {
  const { title, sentences, memory, expected, received, name, place } = opening;
  const text = (bits, format) => (recording.isJunk(bits) && format !== "hex" ? _("junk") : elements([bits], format)[0]);
  const cells = (bits, kind) => ["float", "hex", "int"].map((format) => `<td class="${kind}">${text(bits, format)}</td>`).join("");
  const line = ([label, bits], kind) => `<tr><th scope="row">${label}</th>${cells(bits, kind)}</tr>`;
  const rows = [];
  if (memory && expected !== null) rows.push(line([_("expected"), expected], "good"));
  if (memory && received !== null) rows.push(line([_("received"), received], "bad"));
  const where = { name: `<b>${escapeText(name ?? "")}</b>`, place: `<code>${escapeText(place ?? "")}</code>` };
  const head = memory ? `<p>${_("{name} in {place}", where)}</p>` : "";
  const titles = [_("float"), _("hex"), _("integer")].map((title) => `<th scope="col">${title}</th>`).join("");
  const table = rows.length ? `<table><thead><tr><td></td>${titles}</tr></thead><tbody>${rows.join("")}</tbody></table>` : "";
  const told = memory ? sentences.slice(1) : sentences;
  return `<h2>${escapeText(title)}</h2>${head}${table}<pre>${told.map(escapeText).join("\n")}</pre>`;
}
