// A plugin of JupyterLab, written as what a bundler would make of it: a container with one module.
var _JUPYTERLAB = window._JUPYTERLAB || (window._JUPYTERLAB = {});
_JUPYTERLAB["haribote-reading"] = {
  init: () => {},
  get: () => Promise.resolve(() => ({
    id: "haribote-reading:width",
    autoStart: true,
    activate: () => {
      const style = document.createElement("style");
      // 66 widths of a zero hold about 75 characters of text
      style.textContent = ".jp-MarkdownOutput > :is(p, ul, ol, blockquote, details, h1, h2, h3) { max-width: 66ch; }";
      document.head.append(style);
    },
  })),
};
