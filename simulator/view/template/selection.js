// What a stretch of the timeline costs: how long each unit is at work in it, what is waited for, and which instructions.

const SHOWN_OPERATIONS = 6;

function statistics(recording, starts, first, last) {
  const frames = recording.frames.slice(first, last + 1);
  const cost = (frame) => frame.cost ?? 0;
  const cycles = frames.reduce((sum, frame) => sum + cost(frame), 0);
  const busy = LANES.map((lane) => frames.reduce((sum, frame) => sum + (frame.lanes?.includes(lane) ? cost(frame) : 0), 0));
  const idle = frames.reduce((sum, frame) => sum + (frame.lanes?.length ? 0 : cost(frame)), 0);
  const steps = frames.reduce((sum, frame) => sum + (frame.count ?? 0), 0);
  const moves = frames.filter((frame) => frame.lanes?.includes("MV")).length;
  const counts = new Map();
  for (const { text, count = 1 } of frames) {
    for (const part of text.split("#")[0].split(";")) {
      const operation = part.trim().split(/[\s/@]/)[0];
      if (operation) counts.set(operation, (counts.get(operation) ?? 0) + (operation === "nop" ? count : 1));
    }
  }
  const operations = [...counts].sort(([, one], [, other]) => other - one);
  return { first, last, start: starts[first], cycles, busy, idle, steps, moves, operations };
}

function selectionText({ start, cycles, busy, idle, steps, moves, operations }) {
  const number = (value) => Math.round(value).toLocaleString("en");
  const share = (value) => `${cycles ? Math.round((100 * value) / cycles) : 0} %`;
  const head = _("Cycles {start} to {end}: {cycles} cycles, {steps} steps, {moves} MV", {
    start: number(start), end: number(start + cycles), cycles: number(cycles), steps: number(steps), moves: number(moves),
  });
  const row = (name, value, lane) => `<tr><th scope="row">${name}</th><td><meter min="0" max="100" value="${cycles ? (100 * value) / cycles : 0}"
    aria-label="${name}" class="lane${lane}"></meter></td><td>${number(value)}</td><td>${share(value)}</td></tr>`;
  const rows = [...LANES.map((name, lane) => row(name, busy[lane], lane)), row(_("nothing at work"), idle, "")];
  const most = operations.slice(0, SHOWN_OPERATIONS).map(([name, count]) => `${escapeText(name)} × ${count}`);
  const more = operations.length > SHOWN_OPERATIONS ? ", …" : "";
  return `<p><b>${head}</b></p><table><tbody>${rows.join("")}</tbody></table><p>${_("Most often: {operations}", { operations: most.join(", ") + more })}</p>`;
}

class Selection {
  constructor(page) {
    this.page = page;
    this.since = null; // the frame where one begins that has no end yet
  }

  take(one, other) {
    const { page } = this;
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    page.timeline.selected = [first, last];
    page.timeline.draw(page.frame);
    put("selected", selectionText(statistics(page.recording, page.timeline.starts, first, last)));
    at("selection").hidden = false;
  }

  // By key: from here, and at the second time to here.
  mark() {
    const { page, since } = this;
    this.since = since === null ? page.frame : null;
    if (since !== null) this.take(since, page.frame);
    else page.say(_("A selection begins at this step. Go on, and press s at its end; Esc gives it up."));
  }

  // Whether there was one.
  close() {
    const { timeline, frame } = this.page;
    const open = Boolean(timeline.selected) || this.since !== null;
    this.since = timeline.selected = null;
    timeline.draw(frame);
    put("selected", "");
    at("selection").hidden = true;
    return open;
  }
}
