// A picture that is looked at closely: zoomed with Ctrl and the wheel, dragged, and by keys. What is shown is a part of the
// picture's own space (its viewBox), so that text stays sharp, and the picture keeps its place on the page.

(() => {
  const MOST = 16, STEP = 1.25, FAR = 4;

  function zoomable(svg, keys, alone) {
    const { x, y, width, height } = svg.viewBox.baseVal;
    let left = x, top = y, part = 1, drag = null;
    const within = (value, from, size) => Math.min(Math.max(value, from), from + size * (1 - part));
    const show = () => {
      left = within(left, x, width);
      top = within(top, y, height);
      svg.setAttribute("viewBox", `${left} ${top} ${width * part} ${height * part}`);
      svg.style.cursor = part < 1 ? "grab" : "";
      svg.style.touchAction = part < 1 ? "none" : "";
    };
    const zoom = (factor, across = 0.5, down = 0.5) => {
      const before = part;
      part = Math.min(1, Math.max(1 / MOST, part / factor));
      left += width * (before - part) * across;
      top += height * (before - part) * down;
      show();
    };
    const pan = (across, down) => {
      left += across * width * part;
      top += down * height * part;
      show();
    };
    const whole = () => {
      part = 1;
      show();
    };
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !(alone && part < 1)) return;
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      zoom(event.deltaY < 0 ? STEP : 1 / STEP, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      if (part < 1 && event.button === 0) drag = { id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
    });
    svg.addEventListener("pointermove", (event) => {
      if (!drag || drag.id !== event.pointerId) return;
      const box = svg.getBoundingClientRect(), dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (!drag.moved && Math.hypot(dx, dy) < FAR) return;
      if (!drag.moved) svg.setPointerCapture(drag.id);
      Object.assign(drag, { x: event.clientX, y: event.clientY, moved: true });
      pan(-dx / box.width, -dy / box.height);
    });
    for (const kind of ["pointerup", "pointercancel"]) svg.addEventListener(kind, () => { drag = null; });
    svg.addEventListener("dblclick", whole);
    const moves = { "+": () => zoom(STEP), "=": () => zoom(STEP), "-": () => zoom(1 / STEP), 0: whole,
      ArrowLeft: () => pan(-0.1, 0), ArrowRight: () => pan(0.1, 0), ArrowUp: () => pan(0, -0.1), ArrowDown: () => pan(0, 0.1) };
    keys.addEventListener("keydown", (event) => {
      const move = event.ctrlKey || event.metaKey || event.altKey ? null : moves[event.key];
      if (!move) return;
      event.preventDefault();
      move();
    });
    return { zoom, whole };
  }

  function inPage(box) {
    box.dataset.zooms = "true";
    const bar = box.querySelector(".zoom-bar"), made = zoomable(box.querySelector("svg"), box, false);
    for (const kind of ["keydown", "keypress", "keyup"]) box.addEventListener(kind, (event) => event.stopPropagation());
    const [out, into, all] = bar.querySelectorAll("button");
    out.addEventListener("click", () => made.zoom(1 / STEP));
    into.addEventListener("click", () => made.zoom(STEP));
    all.addEventListener("click", made.whole);
    bar.style.display = "flex";
  }

  const root = document.documentElement;
  if (root.localName === "svg") zoomable(root, document, true);
  else {
    const around = document.currentScript?.getRootNode() ?? document;
    for (const box of around.querySelectorAll(".zoom-box:not([data-zooms])")) inPage(box);
  }
})();
