// What the memories are called and how their words are laid out.

const cycleName = (number) => _("cycle {number}", { number });
const entryName = (number) => _("entry {number}", { number });
const rowName = (number) => _("row {number}", { number });

const LAYOUTS = {
  lm0: { title: "LM0", of: _("local memory 0 of the PE") },
  lm1: { title: "LM1", of: _("local memory 1 of the PE") },
  grf0: { title: "GRF0", of: _("general registers 0 of the PE ($r)") },
  grf1: { title: "GRF1", of: _("general registers 1 of the PE ($s)") },
  t: { title: "T", of: _("T register of the PE: cycle.word"), rows: cycleName, columns: 4 },
  aluf: { title: "$aluf", of: _("what the ALU put out last: cycle.word"), rows: cycleName, columns: 4 },
  mauf: { title: "$mauf", of: _("what the MAU put out last: cycle.word"), rows: cycleName, columns: 4 },
  lbf: { title: "$lbf", of: _("what came from the L1BM last: cycle.word"), rows: cycleName, columns: 4 },
  mreadf: { title: "$mreadf", of: _("what was read from a matrix last: cycle.word"), rows: cycleName, columns: 4 },
  omr: { title: _("Masks"), of: _("mask entries of the PE: 4 flags for each of 4 cycles"), rows: entryName, columns: 1, flags: true },
  bar: { title: _("Base addresses"), of: _("of LM0 (0) and LM1 (1)"), columns: 2, fixed: "int" },
  mx: { title: _("Matrix X"), of: _("matrix register of the MAB"), rows: rowName, columns: 8 },
  my: { title: _("Matrix Y"), of: _("matrix register of the MAB"), rows: rowName, columns: 8 },
  l1bm: { title: "L1BM", of: _("memory of the L1B") },
  turn: { title: _("Turnaround"), of: _("last block sent to the L1BM, in cycle order") },
  l2bm: { title: "L2BM", of: _("memory of the L2B") },
  pdm: { title: "PDM", of: _("memory of the group") },
  dar: { title: "DAR", of: _("DRAM address table of the group, in units of 16 long words"), fixed: "int" },
  dram: { title: "DRAM", of: _("off-chip memory of the group") },
};
const OWNERS = { pe: 5, mab: 4, l1b: 3, l2b: 2, group: 1 };

// An address as people write it: `cycle.word` or `row.word` where a memory has rows.
function addressName(memory, address) {
  const { rows, columns } = LAYOUTS[memory];
  return rows && columns > 1 ? `${Math.floor(address / columns)}.${address % columns}` : String(address);
}

const owner = (recording, memory, pe) => unitName(pe, OWNERS[recording.memories[memory].level]);

const flagText = (bits) => [12, 8, 4, 0].map((shift) => ((bits >>> shift) & 15).toString(2).padStart(4, "0"));

const escapeText = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

// The first word of every instruction in bold, a comment in grey.
function highlight(text) {
  const [code, ...comment] = text.split("#");
  const instruction = (part) => {
    const [, space, name, rest] = /^(\s*)(\S*)(.*)$/.exec(part);
    return `${space}<b>${escapeText(name)}</b>${escapeText(rest)}`;
  };
  const marked = code.split(";").map(instruction).join(";");
  return comment.length ? `${marked}<em>#${escapeText(comment.join("#"))}</em>` : marked;
}

// Words as text, in full; `junk` is what nobody has put there.
function valueText(recording, memory, words, format) {
  if (LAYOUTS[memory].flags) return flagText(words[0]).join(" ");
  if (words.some((word) => recording.isJunk(word))) return _("junk");
  return elements(words, LAYOUTS[memory].fixed ?? format).join(" ");
}

const wordName = (memory, address) => `${LAYOUTS[memory].title}[${addressName(memory, address)}]`;
