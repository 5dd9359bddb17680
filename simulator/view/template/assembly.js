// The text of the program beside the memories; a click goes to the line.

class Assembly {
  constructor(recording, go) {
    this.list = document.getElementById("assembly");
    const entry = (number, text, frame, folded) => {
      const more = folded ? `<i>and ${folded.toLocaleString("en")} more lines like it</i>` : "";
      const remark = frame >= 0 && recording.frames[frame].remarks ? ' class="remark"' : "";
      const label = `<span class="number">${number || ""}</span><code>${highlight(text)}</code>${more}`;
      return frame < 0 ? `<li class="silent">${label}</li>`
        : `<li><button data-frame="${frame}" tabindex="-1"${remark}>${label}</button></li>`;
    };
    this.list.innerHTML = entry(0, "start", 0, 0) + recording.source.map((line) => entry(...line)).join("");
    this.buttons = new Map();
    for (const button of this.list.querySelectorAll("button")) {
      const frame = Number(button.dataset.frame);
      if (!this.buttons.has(frame)) this.buttons.set(frame, button);
    }
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) go(Number(button.dataset.frame));
    });
  }

  show(frame) {
    if (this.current) {
      this.current.removeAttribute("aria-current");
      this.current.tabIndex = -1;
    }
    this.current = this.buttons.get(frame);
    if (!this.current) return;
    const focused = this.list.contains(document.activeElement);
    this.current.setAttribute("aria-current", "step");
    this.current.tabIndex = 0;
    if (focused) this.current.focus({ preventScroll: true });
    const { offsetTop, offsetHeight } = this.current;
    this.list.scrollTop = offsetTop - (this.list.clientHeight - offsetHeight) / 2;
  }
}

const escapeText = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

// The first word of every instruction in bold, a comment in grey.
function highlight(text) {
  const [code, ...comment] = text.split("#");
  const instruction = (part) => {
    const [, space, name, rest] = /^(\s*)(\S*)(.*)$/.exec(part);
    return `${space}<b>${escapeText(name)}</b>${escapeText(rest)}`;
  };
  const marked = code.split(";").map(instruction).join(";");
  return comment.length ? `${marked}<em>#${escapeText(comment.join("#"))}</em>` : marked;
}
