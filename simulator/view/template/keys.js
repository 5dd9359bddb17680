// The keys, as a table: what the page listens to is what `?` lists.

const KEYS = [
  ["←", "→", _("One step back, one forward"), { ArrowLeft: (page) => page.go(-1), ArrowRight: (page) => page.go(1) }],
  ["Page Up", "Page Down", _("Ten steps"), { PageUp: (page) => page.go(-10), PageDown: (page) => page.go(10) }],
  ["Home", "End", _("Start and end"), { Home: (page) => page.go(-Infinity), End: (page) => page.go(Infinity) }],
  [_("Space"), "", _("Play, or pause"), { " ": (page) => page.player.toggle() }],
  ["[", "]", _("Slower, faster"), { "[": (page) => page.player.faster(-1), "]": (page) => page.player.faster(1) }],
  ["b", "", _("Set or clear a breakpoint at this line"), { b: (page) => page.toggleBreakpoint(page.frame) }],
  ["c", "C", _("Run to the next breakpoint, or back to the last"), { c: (page) => page.run(1), C: (page) => page.run(-1) }],
  ["g", "", _("Go to a line, a step (s120) or a cycle (c480)"), { g: (page) => page.focusOn("goto") }],
  ["/", "", _("Search: text, mnemonic, or an address such as LM0[12]"), { "/": (page) => page.focusOn("search") }],
  ["n", "N", _("Next line found, or the one before"), { n: (page) => page.nextHit(1), N: (page) => page.nextHit(-1) }],
  ["w", "W", _("Next write of the chosen word, or the one before"), { w: (page) => page.nextWrite(1), W: (page) => page.nextWrite(-1) }],
  ["a", "", _("Watch the chosen word, or no longer"), { a: (page) => page.watch() }],
  ["u", "", _("Choose a unit by name (n0c1b2m3p0)"), { u: (page) => page.focusOn("unit") }],
  ["m", "", _("Into the first memory of this step; arrows there go from word to word, Enter chooses one"), { m: (page) => page.enterMemory() }],
  ["+", "−", _("Zoom the timeline"), { "+": (page) => page.timeline.zoom(0.5), "=": (page) => page.timeline.zoom(0.5), "-": (page) => page.timeline.zoom(2) }],
  ["s", "", _("Select from this step to another, for statistics; or drag over the timeline with Shift"), { s: (page) => page.selection.mark() }],
  ["0", "", _("The whole timeline"), { 0: (page) => page.timeline.look(0, page.timeline.total) }],
  ["Esc", "", _("Close what is open: this list, a field or memory, a selection, what is unfolded, the chosen word"), { Escape: closeOne }],
  ["?", "", _("This list"), { "?": (page) => page.help() }],
];

const ACTIONS = Object.assign({}, ...KEYS.map((row) => row[3]));

function keyTable() {
  const key = (name) => (name ? `<kbd>${name}</kbd>` : "");
  return KEYS.map(([one, other, what]) => `<tr><th scope="row">${key(one)} ${key(other)}</th><td>${what}</td></tr>`).join("");
}

function pressed(event, page) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const typing = event.target.matches("select, input:not([type=range]):not([type=checkbox]), textarea");
  const onControl = event.target.matches("button, input[type=checkbox], summary") && (event.key === " " || event.key === "Enter");
  if ((typing && event.key !== "Escape") || onControl) return;
  const listing = event.target.closest?.("#assembly");
  const action = (listing && { ArrowUp: (p) => p.go(-1), ArrowDown: (p) => p.go(1) }[event.key]) || ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action(page);
}

// Close what is open, one thing at a time: the list of keys, a field or a memory, a selection, what is unfolded, the word.
function closeOne(page) {
  page.player.stop();
  const dialogs = document.querySelectorAll("dialog[open]");
  for (const dialog of dialogs) dialog.close();
  const inside = document.activeElement?.closest("input, select, textarea, [data-address]");
  document.activeElement?.blur();
  if (dialogs.length || inside || page.selection.close()) return;
  const unfolded = document.querySelectorAll("#content details[open]");
  for (const details of unfolded) details.open = false;
  if (!unfolded.length && page.picked) page.set({ picked: null, values: false });
}
