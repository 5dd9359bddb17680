// Sliders and lists above a picture that Python draws. One question at a time: while Python draws, only the latest
// position of the controls is remembered.

function control(spec, changed) {
  const label = document.createElement("label");
  label.style.cssText = "display: inline-flex; align-items: center; gap: 8px; margin: 2px 16px 2px 0; font-size: 13px";
  const name = document.createElement("span");
  name.textContent = spec.label;
  const input = document.createElement(spec.kind === "Choice" ? "select" : "input");
  const shown = document.createElement("output");
  shown.style.cssText = "min-width: 3em; font-variant-numeric: tabular-nums";
  if (spec.kind === "Choice") {
    spec.options.forEach((option, i) => input.add(new Option(spec.texts[i], option)));
  } else {
    Object.assign(input, { type: "range", min: spec.low, max: spec.high, step: spec.step });
    input.style.width = "220px";
  }
  const show = (value) => {
    input.value = value;
    shown.textContent = spec.kind === "Choice" ? "" : value;
  };
  show(spec.now);
  input.addEventListener("input", () => {
    const value = spec.kind === "Choice" ? input.value : Number(input.value);
    if (spec.kind !== "Choice") shown.textContent = value;
    changed(spec.name, value);
  });
  label.append(name, input, shown);
  return { label, input, show };
}

function render({ model, el }) {
  ownKeys(el);
  el.lang = model.get("language");
  const bar = document.createElement("div");
  const picture = document.createElement("div");
  el.append(bar, picture);
  let values = {}, waiting = false, changed = false, shape = "", made = {};

  const build = () => {
    const specs = model.get("controls");
    const now = JSON.stringify(specs.map(({ now, ...rest }) => rest));
    if (now !== shape) {
      shape = now;
      made = Object.fromEntries(specs.map((spec) => [spec.name, control(spec, move)]));
      bar.replaceChildren(...specs.map((spec) => made[spec.name].label));
    }
    if (!changed) {
      for (const spec of specs) made[spec.name].show(spec.now);
      values = Object.fromEntries(specs.map((spec) => [spec.name, spec.now]));
    }
    picture.innerHTML = model.get("html");
  };
  const ask = () => {
    waiting = true;
    changed = false;
    model.set("values", { ...values });
    model.save_changes();
  };
  const move = (name, value) => {
    values = { ...values, [name]: value };
    if (waiting) changed = true;
    else ask();
  };
  model.on("change:answer", () => {
    waiting = false;
    build();
    if (changed) ask();
  });
  build();
}

export default { render };
