// Playing: a step every so often, until a breakpoint, a watched word that is written, or the end.

const SPEEDS = [0.5, 1, 2, 5, 10, 20, 60]; // steps per second

class Player {
  constructor(page) {
    this.page = page;
    this.speed = 2;
    at("speed").innerHTML = SPEEDS.map((speed, i) => `<option value="${i}">${_("{speed} steps/s", { speed })}</option>`).join("");
    at("speed").value = this.speed;
    at("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    at("play").addEventListener("click", () => this.toggle());
  }

  faster(by) {
    this.speed = Math.max(0, Math.min(SPEEDS.length - 1, this.speed + by));
    at("speed").value = this.speed;
  }

  toggle() {
    if (this.timer) this.stop();
    else this.start();
  }

  start() {
    if (this.page.frame === this.page.last) this.page.set({ frame: 0 });
    const tick = () => {
      this.page.set({ frame: this.page.frame + 1 });
      if (this.page.frame === this.page.last || this.page.stopsAt(this.page.frame)) this.stop();
      else this.timer = setTimeout(tick, 1000 / SPEEDS[this.speed]);
    };
    this.timer = setTimeout(tick, 0);
    this.show();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.show();
  }

  show() {
    at("play").innerHTML = `<span aria-hidden="true">${this.timer ? "❚❚" : "▶"}</span> ${this.timer ? _("Pause") : _("Play")}`;
  }
}
