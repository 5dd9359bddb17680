// Plays a recorded training step, and beside it what a whole run of such steps teaches. t goes from 0 to 1.

const at = (id) => document.getElementById(id);
const data = JSON.parse(at("data").textContent);
const { texts, kernels, moments } = data;
const SIDE = 64;
const BRIGHTEST = 15;
const SECONDS = 22;
const REST = 2.5; // seconds at the end, before it begins again
const FADE = 0.62;
const NONE = -1;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const said = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
const number = (value) => Math.round(value).toLocaleString(document.documentElement.lang);

// --- the field ---

class FieldCanvas {
  constructor(canvas) {
    this.canvas = canvas;
    this.glow = new Float32Array(SIDE * SIDE);
    this.kind = new Int8Array(SIDE * SIDE).fill(NONE);
    this.shown = -1;
    this.blocks = null;
    this.theme();
  }

  theme() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim().match(/[0-9a-f]{2}/gi).map((x) => parseInt(x, 16));
    const empty = colour("empty");
    const mixed = (ink, share) => `rgb(${ink.map((value, n) => Math.round(empty[n] + (value - empty[n]) * share)).join()})`;
    const inks = [...data.kinds, "faint"].map(colour); // the last is for lines between kernels
    this.colours = inks.map((ink) => Array.from({ length: 65 }, (_, n) => mixed(ink, n / 64)));
    this.paper = style.getPropertyValue("--paper");
  }

  // Cell by cell, with gaps between the L1Bs and wider ones between L2Bs and groups.
  resize() {
    const width = Math.round(this.canvas.clientWidth * Math.min(2, devicePixelRatio || 1));
    this.canvas.width = this.canvas.height = width;
    const gaps = Array.from({ length: SIDE }, (_, n) => (n >> 3) + 2 * (n >> 4) + 2 * (n >> 5));
    const unit = width / (SIDE * 7 + gaps[SIDE - 1] * 1.5);
    this.starts = gaps.map((gap, n) => Math.round((n * 7 + gap * 1.5) * unit));
    this.cell = Math.max(1, Math.round(6 * unit));
  }

  step(moment) {
    const [, kernel, , , , , block] = moments[moment];
    const kind = kernel === NONE ? data.kinds.length : data.kinds.indexOf(kernels[kernel].kind);
    const bytes = this.blocks;
    for (let n = 0; n < SIDE * SIDE; n++) {
      const pair = bytes[block * 2048 + (n >> 1)];
      const level = n & 1 ? pair & 15 : pair >> 4;
      this.glow[n] *= FADE;
      const value = level ? 0.12 + 0.88 * (level / BRIGHTEST) : 0;
      if (value > this.glow[n]) {
        this.glow[n] = value;
        this.kind[n] = kind;
      }
    }
  }

  draw(moment) {
    if (!this.blocks) return;
    if (moment < this.shown || moment > this.shown + 8) {
      this.glow.fill(0);
      this.shown = Math.max(-1, moment - 8);
    }
    while (this.shown < moment) this.step(++this.shown);
    this.paint();
  }

  paint() {
    const pen = this.canvas.getContext("2d");
    pen.fillStyle = this.paper;
    pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (let n = 0; n < SIDE * SIDE; n++) {
      const kind = this.kind[n] === NONE ? 0 : this.kind[n];
      pen.fillStyle = this.colours[kind][Math.round(64 * this.glow[n])];
      pen.fillRect(this.starts[n & 63], this.starts[n >> 6], this.cell, this.cell);
    }
  }
}

async function unpack(id) {
  const text = atob(at(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let n = 0; n < bytes.length; n++) bytes[n] = text.charCodeAt(n);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// --- what stands around it ---

const field = new FieldCanvas(at("field"));
const memories = [...document.querySelectorAll(".memories li")];
const bars = [...document.querySelectorAll(".answers li")];
const lanes = [...document.querySelectorAll(".lanes li")];
const curve = document.querySelector(".curve");
const dot = document.querySelector(".dot");
const link = at("view");

function showMoment(moment) {
  const [cycle, kernel, text, reads, writes, viewed] = moments[moment];
  const { kind, label } = kernel === NONE ? { kind: "", label: texts.between } : kernels[kernel];
  at("chip").className = `chip k-${kind}`;
  at("now").textContent = label;
  at("line").textContent = text;
  at("cycle").textContent = said(texts.cycle, { cycle: number(cycle) });
  memories.forEach((item, n) => {
    item.className = (writes >> n) & 1 ? "written" : (reads >> n) & 1 ? "read" : "";
    item.style.setProperty("--kind", kind ? `var(--${kind})` : "");
  });
  at("head").style.left = `${(100 * cycle) / data.cycles}%`;
  at("position").value = moment;
  at("position").setAttribute("aria-valuetext", `${label}, ${at("cycle").textContent}`);
  if (link) link.href = viewed < 0 ? "view.html" : `view.html#step=${viewed}`;
  field.draw(moment);
}

function showLearning(t) {
  const { losses, answers } = data;
  const step = Math.min(losses.length - 1, Math.floor(t * losses.length));
  curve.setAttribute("d", `M${losses.slice(0, step + 1).map((point) => point.join(" ")).join("L")}`);
  const [x, y] = losses[step];
  dot.setAttribute("cx", x);
  dot.setAttribute("cy", y);
  const asked = t >= 1 ? answers[answers.length - 1] : answers.findLast(({ steps }) => steps <= step + 1) ?? answers[0];
  const first = asked.shares.indexOf(Math.max(...asked.shares));
  bars.forEach((bar, digit) => {
    bar.className = digit === first ? "first" : "";
    bar.lastElementChild.firstElementChild.style.width = `${100 * asked.shares[digit]}%`;
  });
  at("says").textContent = asked.says;
}

// All run at the same speed, so the bar of a short step is full first.
function showRace(t) {
  const gone = t * Math.max(...data.lanes);
  lanes.forEach((lane, n) => {
    const share = Math.min(1, gone / data.lanes[n]);
    lane.className = share >= 1 ? "done" : "";
    lane.querySelector("b").style.width = `${100 * share}%`;
  });
}

// --- time ---

let t = 0;
let playing = false;
let last = 0;
let rested = 0;

function show() {
  showMoment(Math.min(moments.length - 1, Math.floor(t * moments.length)));
  showLearning(t);
  showRace(t);
}

function tick(now) {
  if (!playing) return;
  const seconds = Math.max(0, Math.min(0.2, (now - last) / 1000));
  last = now;
  if (t >= 1) {
    rested += seconds;
    if (rested > REST) [t, rested] = [0, 0];
  } else {
    t = Math.min(1, t + seconds / SECONDS);
  }
  show();
  requestAnimationFrame(tick);
}

function play(wanted) {
  playing = wanted;
  at("play").textContent = playing ? texts.pause : texts.play;
  if (!playing) return;
  if (t >= 1) [t, rested] = [0, 0];
  last = performance.now();
  requestAnimationFrame(tick);
}

function go(moment) {
  play(false);
  const bound = Math.max(0, Math.min(moments.length - 1, moment));
  t = bound === moments.length - 1 ? 1 : (bound + 0.5) / moments.length;
  show();
}

at("play").addEventListener("click", () => play(!playing));
at("position").addEventListener("input", (event) => go(Number(event.target.value)));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button, input, summary, a, .wide")) return;
  const here = Number(at("position").value);
  const moves = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: moments.length - 1 };
  if (event.key === " ") play(!playing);
  else if (event.key in moves) go(moves[event.key]);
  else return;
  event.preventDefault();
});
addEventListener("resize", () => { field.resize(); field.paint(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { field.theme(); field.paint(); });
still.addEventListener("change", () => still.matches && play(false));

field.resize();
field.paint();
if (still.matches) {
  t = 1;
  showLearning(t);
  showRace(t);
  showMoment(data.liveliest);
} else {
  show();
  play(true);
}
unpack("fields").then((bytes) => {
  field.blocks = bytes;
  field.shown = -1;
  field.draw(Number(at("position").value));
  document.documentElement.dataset.ready = "yes";
});
