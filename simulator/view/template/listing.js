// The text of the program beside the memories. A click on a line goes there, one on its number sets a breakpoint. Only
// the lines in sight are in the page, so that long programs are as quick as short ones.

const ROW = 23; // pixels
const MARGIN = 30; // lines above and below those in sight

class Listing {
  constructor(recording, go, toggle) {
    this.recording = recording;
    this.box = document.getElementById("assembly");
    this.lines = [[0, _("start"), 0, 0], ...recording.source];
    this.rowOf = new Map();
    this.lines.forEach(([, , frame], row) => {
      if (frame >= 0 && !this.rowOf.has(frame)) this.rowOf.set(frame, row);
    });
    this.list = document.createElement("ol");
    this.list.style.height = `${ROW * this.lines.length}px`;
    this.box.append(this.list);
    this.breakpoints = new Set();
    this.first = -1;
    this.height = 400;
    this.frame = 0;
    this.box.addEventListener("scroll", () => this.fill(), { passive: true });
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.className === "number") toggle(Number(button.dataset.frame));
      else go(Number(button.dataset.frame));
    });
  }

  // Where the list stands is kept here: to ask the page would make it lay itself out.
  resize() {
    this.height = this.box.clientHeight || 400;
    this.first = -1;
    this.fill();
  }

  fill(top = this.box.scrollTop) {
    const [up, down] = [Math.floor(top / ROW), Math.ceil((top + this.height) / ROW)];
    const enough = this.first <= Math.max(0, up - 2) && this.last >= Math.min(this.lines.length, down + 2);
    if (this.first >= 0 && enough) return;
    const first = Math.max(0, up - MARGIN);
    const last = Math.min(this.lines.length, down + MARGIN);
    Object.assign(this, { first, last });
    const focused = this.list.contains(document.activeElement);
    this.list.innerHTML = this.lines.slice(first, last).map((line, i) => this.entry(line, first + i)).join("");
    this.mark();
    if (focused) this.current()?.focus({ preventScroll: true });
  }

  entry([number, text, frame, folded], row) {
    const { frames } = this.recording;
    const more = folded ? ` <i>${_("and {count} more lines like it", { count: folded.toLocaleString("en") })}</i>` : "";
    const place = `style="top:${ROW * row}px" aria-setsize="${this.lines.length}" aria-posinset="${row + 1}"`;
    const whole = `title="${escapeText(text)}"`;
    const code = `<code>${highlight(text)}</code>${more}`;
    if (frame < 0) return `<li class="silent" ${place} ${whole}><span class="number">${number || ""}</span>${code}</li>`;
    const remark = frames[frame].remarks ? "remark" : "";
    const stop = number
      ? `<button class="number" data-frame="${frame}" tabindex="-1" aria-label="${_("Breakpoint at line {number}", { number })}"` +
        ` aria-pressed="${this.breakpoints.has(frame)}" title="${_("Breakpoint")}">${number}</button>`
      : '<span class="number"></span>';
    return `<li class="${remark}" ${place} data-row="${frame}">${stop}<button class="line" data-frame="${frame}" tabindex="-1" ${whole}>${code}</button></li>`;
  }

  current() {
    return this.list.querySelector("li.current button.line");
  }

  mark() {
    for (const old of this.list.querySelectorAll("li.current")) {
      old.classList.remove("current");
      const button = old.querySelector("button.line");
      button.tabIndex = -1;
      button.removeAttribute("aria-current");
    }
    const line = this.list.querySelector(`li[data-row="${this.frame}"]`);
    if (!line) return;
    line.classList.add("current");
    const button = line.querySelector("button.line");
    button.tabIndex = 0;
    button.setAttribute("aria-current", "step");
  }

  show(frame) {
    const focused = this.list.contains(document.activeElement);
    this.frame = frame;
    const row = this.rowOf.get(frame) ?? 0;
    const top = Math.max(0, ROW * row - (this.height - ROW) / 2);
    this.box.scrollTop = top;
    this.fill(top);
    this.mark();
    if (focused) this.current()?.focus({ preventScroll: true });
  }

  setBreakpoints(frames) {
    this.breakpoints = frames;
    for (const button of this.list.querySelectorAll("button.number")) {
      button.setAttribute("aria-pressed", String(frames.has(Number(button.dataset.frame))));
    }
  }
}
