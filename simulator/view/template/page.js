// The page: what is shown now, the controls, and drawing it all. What a step needs at once is drawn at once; memories
// that it does not touch follow when the page is idle.

const at = (id) => document.getElementById(id);

// Give an element other content, if it is other.
function put(id, content) {
  const element = at(id);
  if (element.shown === content) return;
  element.shown = content;
  element.innerHTML = content;
}

class Page {
  constructor(recording) {
    const pe = parseUnit(recording.unit) ?? 0;
    Object.assign(this, { recording, frame: 0, pe, format: "float", picked: null, values: false, theme: 0 });
    this.last = recording.frames.length - 1;
    this.renew();
    this.tree = new Tree((chosen) => this.set({ pe: chosen }));
    this.map = new ChipMap((chosen) => this.set({ pe: chosen }));
    this.step = new Step(recording);
    this.chain = new Chain(recording);
    this.watches = new Watches(recording);
    this.stops = new Set();
    this.hits = [];
    this.listing = new Listing(recording, (frame) => this.set({ frame }), (frame) => this.toggleBreakpoint(frame));
    this.timeline = new Timeline(recording, (frame) => this.set({ frame }), (one, other) => this.selection.take(one, other));
    this.selection = new Selection(this);
    this.player = new Player(this);
    this.opening = openingOf(recording);
    const used = Object.keys(LAYOUTS).filter((memory) => recording.slots[memory]);
    this.panels = used.map((memory) => new Panel(recording, memory, (picked) => this.pick(picked)));
    at("others").append(...this.panels.map(({ element }) => element));
    const unused = Object.keys(LAYOUTS).filter((memory) => !recording.slots[memory]).map((memory) => LAYOUTS[memory].title);
    put("unused", unused.length ? _("Not used by this program: {memories}.", { memories: listed(unused) }) : "");
    put("notes", recording.notes.map((note) => `<li>${escapeText(note)}</li>`).join(""));
    put("keys", keyTable());
    at("scrubber").max = this.last;
  }

  // After another unit is chosen, or its values have come.
  renew() {
    this.history = new History(this.recording, this.pe);
    this.stale = new Set(Object.keys(this.recording.slots));
  }

  // --- going ---

  set(change) {
    const before = { pe: this.pe, format: this.format };
    Object.assign(this, change);
    this.frame = Math.max(0, Math.min(this.last, this.frame));
    if (this.format !== before.format) this.stale = new Set(Object.keys(this.recording.slots));
    if (this.pe !== before.pe) this.renew();
    this.draw();
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => this.remember(), 200); // browsers allow few changes of the address per second
  }

  go(by) {
    this.player.stop();
    this.set({ frame: this.frame + by });
  }

  pick(picked) {
    this.set({ picked: { ...picked, fresh: true } });
    this.picked.fresh = false;
  }

  stopsAt(frame) {
    return this.stops.has(frame) || this.watches.stops(frame);
  }

  // To the next frame at which something stops the run, or to the end.
  run(direction) {
    this.player.stop();
    let frame = this.frame + direction;
    while (frame > 0 && frame < this.last && !this.stopsAt(frame)) frame += direction;
    this.set({ frame });
  }

  toggleBreakpoint(frame) {
    if (frame < 1) return;
    if (!this.stops.delete(frame)) this.stops.add(frame);
    this.listing.setBreakpoints(this.stops);
    this.timeline.setMarks(this.hits, this.stops);
    const count = this.stops.size;
    put("stops", count > 1 ? _("{count} breakpoints", { count }) : count ? _("1 breakpoint") : "");
  }

  nextWrite(direction) {
    if (!this.picked) return this.say(_("Choose a word first: click a cell of a memory, or press m and Enter."));
    const { memory, address } = this.picked;
    const unit = this.recording.unitOf(memory, this.pe);
    const word = wordName(memory, address);
    const frame = this.recording.otherWrite(memory, address, unit, this.frame, direction);
    const never = direction > 0 ? _("{word} is not written after this step.", { word }) : _("{word} is not written before this step.", { word });
    if (frame < 0) return this.say(never);
    return this.set({ frame });
  }

  watch() {
    if (!this.picked) return this.say(_("Choose a word first: click a cell of a memory, or press m and Enter."));
    this.watches.toggle({ memory: this.picked.memory, address: this.picked.address, pe: this.pe });
    return this.draw();
  }

  find(query) {
    const { frames, what } = search(this.recording, query);
    this.hits = frames;
    this.timeline.setMarks(this.hits, this.stops);
    put("found", escapeText(what));
  }

  nextHit(direction) {
    if (!this.hits.length) return this.say(_("Nothing is found yet: press / and type."));
    const order = direction > 0 ? this.hits : [...this.hits].reverse();
    const frame = order.find((hit) => (hit - this.frame) * direction > 0) ?? order[0];
    put("found", _("{number} of {count}", { number: this.hits.indexOf(frame) + 1, count: this.hits.length }));
    return this.set({ frame });
  }

  goto(text) {
    const frame = parseStop(this.recording, this.timeline, text);
    if (frame < 0) return this.say(_("Type the number of a line (31), of a step (s120) or of a cycle (c480)."));
    return this.set({ frame });
  }

  // --- the keyboard ---

  focusOn(id) {
    at(id).focus();
    at(id).select?.();
  }

  enterMemory() {
    const written = ({ effects }) => effects.some((effect) => effect.written);
    const panel = this.panels.find(({ memory }) => memory === this.picked?.memory)
      ?? this.active.find(written) ?? this.active[0] ?? this.panels[0];
    const cell = panel?.cells?.find((one) => one.tabIndex === 0);
    if (!cell) return;
    cell.focus();
    panel.element.scrollIntoView({ block: "nearest" });
  }

  help() {
    at("help").showModal();
  }

  say(text) {
    put("said", escapeText(text));
    clearTimeout(this.saying);
    this.saying = setTimeout(() => put("said", ""), 6000);
  }

  // --- drawing ---

  draw() {
    const { recording, frame, history } = this;
    for (const memory of this.changed = history.seek(frame)) this.stale.add(memory);
    const effects = history.effects();
    const view = {
      frame, history, effects, previous: history.previous(), format: this.format, picked: this.picked,
      opening: this.opening, changed: this.stale, theme: this.theme, ink: this.ink,
    };
    this.view = view;
    this.listing.show(frame); // first, since to scroll needs the page laid out
    this.drawHead();
    this.timeline.draw(frame);
    this.step.draw(view, this.pe);
    this.drawWord();
    this.drawPanels(view);
    this.drawChip(recording.touched(frame));
  }

  drawHead() {
    const place = this.frame ? placeText(this.recording.frames[this.frame]) : _("before the first line");
    put("where", `${_("{number} of {count}", { number: `<b>${this.frame}</b>`, count: this.last })} <span>· ${place}</span>`);
    at("scrubber").value = this.frame;
    at("scrubber").setAttribute("aria-valuetext", _("{frame} of {last}, {place}", { frame: this.frame, last: this.last, place }));
    at("format").value = this.format;
    for (const id of ["first", "back"]) at(id).disabled = this.frame === 0;
    for (const id of ["forward", "last"]) at(id).disabled = this.frame === this.last;
  }

  drawWord() {
    const { picked } = this;
    at("word").hidden = !picked;
    if (picked) {
      put("picked", this.chain.text(picked, this.pe, this.frame, this.format));
      const same = (one) => one.memory === picked.memory && one.address === picked.address && one.pe === this.pe;
      const watched = this.watches.list.some(same);
      put("watch", watched ? _("Watch no longer") : _("Watch"));
    }
    at("watched").hidden = !this.watches.list.length;
    put("watches", this.watches.text(this.frame, this.format));
  }

  // Memories of this step first: those it reads, then those it writes. The others keep their place.
  drawPanels(view) {
    const touched = new Map(view.effects.map(({ memory, written }) => [memory, written]));
    for (const { memory, written } of view.effects) if (written) touched.set(memory, true);
    const rank = ({ memory }) => (touched.has(memory) ? Number(touched.get(memory)) : 2);
    const order = this.panels.filter((panel) => rank(panel) < 2).sort((a, b) => rank(a) - rank(b));
    const before = this.active ?? [];
    arrange(at("actives"), order);
    arrange(at("others"), this.panels.filter((panel) => !order.includes(panel)));
    at("still").hidden = order.length === 0;
    at("nothing").hidden = order.length > 0;
    this.active = order;
    this.drawn = new Set();
    for (const panel of order) this.drawPanel(panel, view);
    for (const panel of before) if (!order.includes(panel)) this.stale.add(panel.memory);
    clearTimeout(this.waiting);
    if (this.eager) this.drawOthers();
    else this.waiting = setTimeout(() => this.drawOthers(), 60);
    put("belongs", _("PE {unit}, and the MAB, L1B, L2B and group it belongs to.", { unit: `<b>${unitName(this.pe)}</b>` }));
    put("scale", SCALES[this.format]);
  }

  drawPanel(panel, view) {
    panel.draw(view, panel.element.classList.contains("wide") ? this.room.wide : this.room.panel);
    this.stale.delete(panel.memory);
    this.drawn.add(panel.memory);
  }

  drawOthers() {
    const { picked } = this.view;
    for (const panel of this.panels) {
      const marked = picked?.memory === panel.memory || panel.picked;
      panel.picked = picked?.memory === panel.memory;
      if (!this.drawn.has(panel.memory) && (this.stale.has(panel.memory) || marked)) this.drawPanel(panel, this.view);
    }
  }

  drawChip(touched) {
    const { recording, frame, picked, pe } = this;
    this.tree.draw(pe, touched);
    if (at("unit") !== document.activeElement) at("unit").value = unitName(pe);
    at("map-values").disabled = !picked;
    at("map-values").title = picked ? "" : _("Choose a cell of a memory first");
    const values = Boolean(this.values && picked);
    at("map-touched").setAttribute("aria-pressed", String(!values));
    at("map-values").setAttribute("aria-pressed", String(values));
    const { arrows = [] } = recording.frames[frame];
    const base = { pe, touched, arrows, ink: this.ink };
    this.map.draw(values ? { ...base, ...valuesOn(this) } : { ...base, colours: null, caption: touchedText(touched) });
  }

  // Sizes are asked for once per change of the window: to ask in every step would make the page lay itself out twice.
  resize() {
    this.ink = inkOf();
    this.theme++;
    const width = at("others").clientWidth || at("actives").clientWidth;
    const columns = Math.max(1, Math.floor((width + 12) / (430 + 12)));
    for (const id of ["actives", "others"]) at(id).style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    const panel = (width - 12 * (columns - 1)) / columns;
    this.room = { panel, wide: columns > 1 ? 2 * panel + 12 : panel };
    for (const { element } of this.panels) {
      if (element.classList.contains("wide")) element.style.gridColumn = columns > 1 ? "span 2" : "";
    }
    this.timeline.resize(at("timeline").parentElement.clientWidth, this.ink);
    this.map.resize(at("map").parentElement.clientWidth);
    this.listing.resize();
    this.stale = new Set(Object.keys(this.recording.slots));
    this.draw();
    this.drawOthers();
  }

  // --- the address of the page says where one is ---

  remember() {
    const parts = { step: this.frame, unit: unitName(this.pe), format: this.format };
    if (this.picked) parts.word = `${this.picked.memory}.${this.picked.address}`;
    if (this.values) parts.map = "values";
    try {
      history.replaceState(null, "", `#${new URLSearchParams(parts)}`);
    } catch { /* inside a notebook's frame there is no address to change */ }
  }

  fromHash() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const result = {};
    const step = Number.parseInt(wanted.get("step"), 10);
    if (Number.isInteger(step)) result.frame = step;
    const pe = parseUnit(wanted.get("unit") ?? "");
    if (pe !== null) result.pe = pe;
    if (wanted.get("format") in FORMATS) result.format = wanted.get("format");
    const [memory, address] = (wanted.get("word") ?? "").split(".");
    if (memory in this.recording.slots && this.recording.slot(memory, Number(address)) >= 0) {
      result.picked = { memory, address: Number(address) };
    }
    result.values = wanted.get("map") === "values";
    return result;
  }
}
