// A plugin of JupyterLab, written as what a bundler would make of it: a container with one module.
// It also takes back the mark "unsaved" that JupyterLab puts on a notebook of ours for writing the kernel's own name into it:
// nothing of that is saved (jupyter_server_config.py).
const looked = new WeakSet();

function opened(widget) {
  const context = widget.context;
  if (!context?.ready || !context.model?.metadataChanged || looked.has(widget)) return;
  looked.add(widget);
  context.ready.then(() => {
    const model = context.model, cells = () => JSON.stringify(model.toJSON().cells);
    if (!model.getMetadata?.("haribote")) return;
    const before = cells();
    const settle = () => setTimeout(() => {
      if (model.dirty && cells() === before) model.dirty = false;
    });
    model.metadataChanged.connect((_, change) => {
      if (["kernelspec", "language_info"].includes(change.key)) settle();
    });
    settle();
  });
}

var _JUPYTERLAB = window._JUPYTERLAB || (window._JUPYTERLAB = {});
_JUPYTERLAB["haribote-reading"] = {
  init: () => {},
  get: () => Promise.resolve(() => ({
    id: "haribote-reading:width",
    autoStart: true,
    activate: (app) => {
      const style = document.createElement("style");
      // 66 widths of a zero hold about 75 characters of text
      style.textContent = ".jp-MarkdownOutput > :is(p, ul, ol, blockquote, details, h1, h2, h3) { max-width: 66ch; }";
      document.head.append(style);
      const look = () => [...app.shell.widgets("main")].forEach(opened);
      app.restored.then(() => {
        look();
        app.shell.layoutModified?.connect(look);
      });
    },
  })),
};
