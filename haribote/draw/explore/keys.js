// Keys pressed in a widget are the widget's: in a notebook the letters d, d delete a cell, and x cuts it. JupyterLab looks
// at keys before they arrive here, and leaves those alone that are pressed below this mark; other front ends listen further up.

function ownKeys(element) {
  element.dataset.lmSuppressShortcuts = "true";
  for (const kind of ["keydown", "keypress", "keyup"]) element.addEventListener(kind, (event) => event.stopPropagation());
}
