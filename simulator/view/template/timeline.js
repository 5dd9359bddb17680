// What is at work when: a row per unit, cycles from left to right. The wheel zooms, dragging moves, a click goes there,
// dragging with Shift selects.

const LANES = ["MV", "L2BM", "L1BM", "MAU", "ALU"];
const LANE = 12;
const NAMES = 44; // pixels for the names of the rows

class Timeline {
  constructor(recording, go, select) {
    this.recording = recording;
    this.selected = null; // first and last frame
    this.canvas = document.getElementById("timeline");
    this.starts = [];
    let cycle = 0;
    for (const frame of recording.frames) {
      this.starts.push(cycle);
      cycle += frame.cost ?? 0;
    }
    this.total = Math.max(1, cycle);
    this.view = [0, this.total];
    this.hits = [];
    this.stops = new Set();
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.7 : 1 / 0.7, this.cycleAt(event.offsetX));
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = { x: event.offsetX, view: this.view, moved: false, selects: event.shiftKey };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.drag) return;
      if (this.drag.selects) {
        this.drag.moved ||= Math.abs(this.drag.x - event.offsetX) > 3;
        if (this.drag.moved) select(this.frameAt(this.cycleAt(this.drag.x)), this.frameAt(this.cycleAt(event.offsetX)));
        return;
      }
      const shift = ((this.drag.x - event.offsetX) * (this.view[1] - this.view[0])) / (this.width - NAMES);
      if (Math.abs(this.drag.x - event.offsetX) > 3) this.drag.moved = true;
      if (this.drag.moved) this.look(this.drag.view[0] + shift, this.drag.view[1] + shift);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (this.drag && !this.drag.moved) go(this.frameAt(this.cycleAt(event.offsetX)));
      this.drag = null;
    });
  }

  resize(width, ink) {
    this.ink = ink;
    this.width = Math.max(200, Math.floor(width));
    this.scale = window.devicePixelRatio || 1;
    this.height = LANES.length * LANE + 6;
    for (const canvas of [this.canvas, (this.back ??= document.createElement("canvas"))]) {
      Object.assign(canvas, { width: this.width * this.scale, height: this.height * this.scale });
    }
    Object.assign(this.canvas.style, { width: `${this.width}px`, height: `${this.height}px` });
    this.paint();
  }

  cycleAt(x) {
    const [from, to] = this.view;
    return from + ((x - NAMES) / (this.width - NAMES)) * (to - from);
  }

  x(cycle) {
    const [from, to] = this.view;
    return NAMES + ((cycle - from) / (to - from)) * (this.width - NAMES);
  }

  // The frame that runs at a cycle.
  frameAt(cycle) {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= cycle) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  zoom(factor, around = this.starts[this.frame]) {
    const [from, to] = this.view;
    const size = Math.min(this.total, Math.max(16, (to - from) * factor));
    const share = Math.min(1, Math.max(0, (around - from) / (to - from)));
    this.look(around - share * size, around + (1 - share) * size);
  }

  look(from, to) {
    const size = Math.min(this.total, to - from);
    const start = Math.max(0, Math.min(this.total - size, from));
    this.view = [start, start + size];
    this.paint();
  }

  // The rows are painted once for a zoom; a step only moves the line of the present.
  paint() {
    const context = this.back.getContext("2d");
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    LANES.forEach((name, row) => {
      context.fillStyle = this.ink.cell;
      context.fillRect(NAMES, row * LANE + 1, this.width - NAMES, LANE - 2);
      context.fillStyle = this.ink.quiet;
      context.fillText(name, 0, row * LANE + LANE / 2 + 0.5);
    });
    const last = this.frameAt(this.view[1]);
    for (let number = this.frameAt(this.view[0]); number <= last; number++) {
      const { lanes = [], cost = 0 } = this.recording.frames[number];
      const left = Math.max(NAMES, this.x(this.starts[number]));
      const width = Math.max(0.6, this.x(this.starts[number] + cost) - left - (cost * 20 > this.view[1] - this.view[0] ? 1 : 0));
      for (const lane of lanes) {
        const row = LANES.indexOf(lane);
        context.fillStyle = this.ink.lanes[row];
        context.fillRect(left, row * LANE + 1, width, LANE - 2);
      }
    }
    for (const [frames, colour] of [[this.hits, this.ink.text], [this.stops, this.ink.warn]]) {
      context.fillStyle = colour;
      for (const number of frames) if (this.inSight(number)) context.fillRect(this.x(this.starts[number]) - 1, this.height - 5, 3, 5);
    }
    this.draw(this.frame ?? 0);
  }

  inSight(number) {
    return this.starts[number] >= this.view[0] && this.starts[number] <= this.view[1];
  }

  draw(frame) {
    this.frame = frame;
    const cycle = this.starts[frame];
    const [from, to] = this.view;
    if (!this.drag && (cycle < from || cycle > to)) {
      this.look(cycle - (to - from) / 2, cycle + (to - from) / 2);
      return;
    }
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.back, 0, 0);
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    const width = Math.max(2, this.x(cycle + (this.recording.frames[frame].cost ?? 0)) - this.x(cycle));
    if (this.selected) this.drawSelected(context);
    context.strokeStyle = this.ink.text;
    context.lineWidth = 1.5;
    context.strokeRect(this.x(cycle), 0.75, width, this.height - 6);
  }

  drawSelected(context) {
    const [first, last] = this.selected;
    const left = Math.max(NAMES, this.x(this.starts[first]));
    const right = Math.min(this.width, this.x(this.starts[last] + (this.recording.frames[last].cost ?? 0)));
    if (right <= left) return;
    context.fillStyle = this.ink.text;
    context.globalAlpha = 0.16;
    context.fillRect(left, 0, right - left, this.height - 5);
    context.globalAlpha = 1;
    for (const x of [left, right - 1]) context.fillRect(x, 0, 1, this.height - 5);
  }

  setMarks(hits, stops) {
    Object.assign(this, { hits, stops });
    this.paint();
  }
}
