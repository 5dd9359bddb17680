// A square to draw on with mouse, pen or finger. The strokes go to Python, which answers with the picture beside it; while
// it thinks, only the latest strokes are remembered. Nothing leaves the computer.

const SIDE = 260, NEAR = 6;

function render({ model, el }) {
  ownKeys(el);
  el.lang = model.get("language");
  const _ = (text) => model.get("texts")[text] ?? text;
  const row = document.createElement("div");
  row.style.cssText = "display: flex; flex-wrap: wrap; gap: 16px; align-items: flex-start";
  const left = document.createElement("div"), picture = document.createElement("div");
  picture.style.cssText = "flex: 1; min-width: 320px";
  const canvas = document.createElement("canvas"), again = document.createElement("button");
  canvas.width = canvas.height = SIDE;
  canvas.style.cssText = "background: #111; border-radius: 6px; touch-action: none; cursor: crosshair; display: block";
  canvas.setAttribute("aria-label", _("a pad to draw a digit on"));
  again.textContent = _("start again");
  again.style.cssText = "margin-top: 6px; font-size: 13px";
  left.append(canvas, again);
  row.append(left, picture);
  el.append(row);

  const pen = canvas.getContext("2d");
  Object.assign(pen, { lineWidth: 22, lineCap: "round", lineJoin: "round", strokeStyle: "white" });
  let strokes = model.get("strokes").map((s) => s.map(([x, y]) => [x * SIDE, y * SIDE]));
  let down = false, waiting = false, changed = false;

  const paint = () => {
    pen.clearRect(0, 0, SIDE, SIDE);
    for (const stroke of strokes) {
      pen.beginPath();
      pen.moveTo(...stroke[0]);
      for (const [x, y] of stroke) pen.lineTo(x + 0.1, y);
      pen.stroke();
    }
  };
  const ask = () => {
    paint();
    if (waiting || !strokes.length) {
      changed = strokes.length > 0;
      return;
    }
    waiting = true;
    changed = false;
    model.set("strokes", strokes.map((s) => s.map(([x, y]) => [x / SIDE, y / SIDE])));
    model.save_changes();
  };
  const place = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    down = true;
    strokes.push([place(event)]);
    ask();
  });
  canvas.addEventListener("pointermove", (event) => {
    const stroke = strokes[strokes.length - 1];
    if (!down) return;
    const [x, y] = stroke[stroke.length - 1], [u, v] = place(event);
    if (Math.hypot(u - x, v - y) > NEAR) {
      stroke.push([u, v]);
      ask();
    }
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { down = false; });
  again.addEventListener("click", () => {
    strokes = [];
    paint();
  });
  const show = () => { picture.innerHTML = model.get("html"); };
  model.on("change:answer", () => {
    waiting = false;
    show();
    if (changed) ask();
  });
  paint();
  show();
}

export default { render };
