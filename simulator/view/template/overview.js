// Every used word of a memory as a point of a picture, this step's words in the colours of reading and writing.

class Overview {
  constructor(panel) {
    Object.assign(this, { panel, key: "", marked: [] });
    this.canvas = panel.canvas;
    this.canvas.addEventListener("click", (event) => this.jump(event));
  }

  draw(view, room) {
    const { panel } = this;
    const { total } = panel.recording.slots[panel.memory];
    this.canvas.hidden = total * panel.width <= 64 || Boolean(panel.layout.rows) || !panel.known;
    if (this.canvas.hidden) return;
    const key = [room, panel.format, view.theme, view.history.pe].join();
    const fresh = key !== this.key;
    this.key = key;
    if (fresh) this.resize(Math.max(0, room - 26), total); // no room: a frame that nobody sees yet
    if (fresh || view.changed?.has(panel.memory)) this.fill(0, total); // cheap: a number per word
    else for (const [first, count] of this.marked) this.fill(first, count);
    this.mark(view.ink);
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
    const count = panel.effects.reduce((sum, effect) => sum + effect.count, 0);
    const places = { memory: panel.layout.title, total, count };
    this.canvas.setAttribute("aria-label", _("{memory}: {total} used words as colours, {count} touched", places));
  }

  resize(room, total) {
    this.cell = Math.max(2, Math.min(11, Math.floor(Math.sqrt((room * 110) / total))));
    this.columns = Math.max(8, Math.floor(room / this.cell / 8) * 8);
    const rows = Math.ceil(total / this.columns);
    Object.assign(this.canvas, { width: this.columns, height: rows });
    Object.assign(this.canvas.style, { width: `${this.columns * this.cell}px`, height: `${rows * this.cell}px` });
    this.image = new ImageData(this.columns, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  fill(first, count) {
    const { words, width, format } = this.panel;
    for (let slot = first; slot < first + count; slot++) this.pixels[slot] = pixel(words, slot * width, width, format);
  }

  mark(ink) {
    const { panel } = this;
    this.marked = [];
    for (const written of [false, true]) {
      for (const effect of panel.effects.filter((one) => one.written === written)) {
        for (const [start, count] of effect.own?.map((address) => [address, 1]) ?? effect.runs) {
          const slot = panel.recording.slot(panel.memory, start);
          this.marked.push([slot, count]);
          this.pixels.fill(written ? ink.writePixel : ink.readPixel, slot, slot + count);
        }
      }
    }
  }

  jump(event) {
    const { panel } = this;
    const slot = Math.floor(event.offsetY / this.cell) * this.columns + Math.floor(event.offsetX / this.cell);
    const address = panel.recording.address(panel.memory, slot);
    if (address < 0) return;
    panel.top = panel.rowOf.get(address - (address % panel.columns)) ?? panel.top;
    panel.scroll(0);
  }
}


// The colour of the words of one address as a pixel; as `colour`, without making lists.
function pixel(words, at, width, format) {
  let best = words[at];
  if (format === "float" || (format === "double" && width === 1)) {
    for (let i = 1; i < width; i++) if ((words[at + i] & 0x7fffffff) > (best & 0x7fffffff)) best = words[at + i];
    const exponent = (best >>> 23) & 255;
    if (exponent === 0) return EMPTY_PIXEL;
    const strength = Math.min(1, Math.max(0, (exponent - 117) / 20));
    const alpha = Math.round(255 * (0.2 + 0.75 * strength));
    return ((alpha << 24) | (best >>> 31 ? 0x7a8f0f : 0xc04f8a)) >>> 0; // little-endian: alpha, blue, green, red
  }
  const [r, g, b, alpha] = colour(Array.from(words.subarray(at, at + width)), format);
  return alpha ? ((Math.round(255 * alpha) << 24) | (b << 16) | (g << 8) | r) >>> 0 : EMPTY_PIXEL;
}

const EMPTY_PIXEL = 0x30808080;
