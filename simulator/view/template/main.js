// What the controls do, and the start.

function listen(page) {
  const moves = { first: () => 0, back: () => page.frame - 1, forward: () => page.frame + 1, last: () => page.last };
  for (const [id, target] of Object.entries(moves)) at(id).addEventListener("click", () => page.set({ frame: target() }));
  at("scrubber").addEventListener("input", (event) => page.set({ frame: Number(event.target.value) }));
  at("format").addEventListener("change", (event) => page.set({ format: event.target.value }));
  at("map-touched").addEventListener("click", () => page.set({ values: false }));
  at("map-values").addEventListener("click", () => page.set({ values: true }));
  at("choose").addEventListener("click", () => at("chip-title").scrollIntoView({ block: "center" }));
  at("run").addEventListener("click", () => page.run(1));
  at("next-write").addEventListener("click", () => page.nextWrite(1));
  at("last-write").addEventListener("click", () => page.nextWrite(-1));
  at("watch").addEventListener("click", () => page.watch());
  at("show-keys").addEventListener("click", () => page.help());
  at("close-keys").addEventListener("click", () => at("help").close());
  at("zoom-in").addEventListener("click", () => page.timeline.zoom(0.5));
  at("zoom-out").addEventListener("click", () => page.timeline.zoom(2));
  at("unselect").addEventListener("click", () => page.selection.close());
  at("zoom-all").addEventListener("click", () => page.timeline.look(0, page.timeline.total));
  at("search").addEventListener("input", (event) => page.find(event.target.value));
  at("search").addEventListener("keydown", (event) => event.key === "Enter" && page.nextHit(event.shiftKey ? -1 : 1));
  at("goto").addEventListener("keydown", (event) => event.key === "Enter" && page.goto(event.target.value));
  at("unit").addEventListener("change", (event) => chooseUnit(event.target.value, page));
  document.addEventListener("click", (event) => follow(event, page));
  document.addEventListener("keydown", (event) => pressed(event, page));
  window.addEventListener("hashchange", () => page.set(page.fromHash()));
  let waiting = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => page.resize());
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.resize());
}

function chooseUnit(text, page) {
  const pe = parseUnit(text);
  if (pe === null) page.say(_("A unit is n0c0b0m0p0: group, L2B, L1B, MAB and PE."));
  else page.set({ pe });
}

// Links in texts: to a line, to a word of a unit, to a memory; and the watch list.
function follow(event, page) {
  const { dataset } = event.target.closest("#content button, #content input") ?? {};
  if (!dataset) return;
  if (dataset.panel) page.panels.find(({ memory }) => memory === dataset.panel).element.scrollIntoView({ block: "center" });
  else if (dataset.memory) {
    const frame = dataset.at === undefined ? page.frame : Number(dataset.at);
    page.set({ picked: { memory: dataset.memory, address: Number(dataset.address), fresh: true }, pe: Number(dataset.pe), frame });
    page.picked.fresh = false;
  } else if (dataset.frame) page.set({ frame: Number(dataset.frame) });
  else if (dataset.remove) {
    page.watches.list.splice(Number(dataset.remove), 1);
    page.draw();
  } else if (dataset.stop) page.watches.list[Number(dataset.stop)].stop = event.target.checked;
}

// Where a debugger's page begins.
function open(page) {
  const { opening } = page;
  if (!opening) return {};
  put("opening", openingText(opening, page.recording));
  at("opening").hidden = false;
  if (!opening.memory) return { frame: opening.frame };
  return { frame: opening.frame, pe: opening.pe, picked: { memory: opening.memory, address: opening.address, fresh: true } };
}

async function main() {
  try {
    const data = JSON.parse(new TextDecoder().decode(await unpack("data")));
    const page = new Page(new Recording(data, await unpack("units")));
    at("page").hidden = false;
    at("failure").hidden = true;
    listen(page);
    const begin = open(page);
    Object.assign(page, begin, page.fromHash());
    if (page.pe !== page.history.pe) page.renew();
    page.resize();
    globalThis.viewer = page;
    const read = (done) => document.addEventListener("DOMContentLoaded", done);
    if (document.readyState === "loading") await new Promise(read); // the values stand behind this script
    page.recording.take(await unpack("values"));
    page.renew();
    page.draw();
  } catch (error) {
    at("failure").hidden = false;
    at("failure").textContent = _(
        "The recording cannot be shown: {error}. A current version of Chrome, Edge, Firefox or Safari should do.",
        { error: error.message },
      );
    throw error;
  }
}

main();
