// What a reader would stumble over in the page as it is laid out now: texts that are cut off, that cover each other, or
// whose words are broken in the middle, and a page wider than its window. A list of sentences.

() => {
  const SLACK = 1.5; // pixels
  const COVER = 0.3; // of a line's height
  const found = [];
  const short = (text) => JSON.stringify(text.trim().slice(0, 60));
  const seen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const clips = (style) => ["hidden", "clip", "auto", "scroll"].includes(style);

  // The rectangle that can be seen of an element's content without scrolling, and whether scrolling shows the rest.
  const windows = (element) => {
    const list = [];
    for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
      if (one instanceof SVGElement && !(one instanceof SVGSVGElement)) continue;
      const { overflowX, overflowY } = getComputedStyle(one);
      const outermost = one instanceof SVGSVGElement;
      if (one.clientWidth === 1 && one.clientHeight === 1) return null; // for readers who do not see the page
      if (!outermost && !clips(overflowX) && !clips(overflowY)) continue;
      const scrolls = (way) => ["auto", "scroll"].includes(way);
      list.push({ box: one.getBoundingClientRect(), x: outermost || !scrolls(overflowX), y: outermost || !scrolls(overflowY) });
    }
    return list;
  };
  const scrolled = (rooms) => rooms.some(({ x, y }) => !x || !y);
  // Shortened by the page, which has the whole of it as a tooltip.
  const told = (element) => {
    let one = element;
    while (one && getComputedStyle(one).textOverflow !== "ellipsis") one = one.parentElement;
    return Boolean(one?.closest("[title]"));
  };

  const lines = []; // {text, node, box, element, rooms: windows of the element}
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !seen(element) || element.closest("script, style, title, select, noscript, .sr")) continue;
    const rooms = windows(element);
    if (!rooms) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 1 || box.height < 1) continue;
      lines.push({ text: node.data, node, box, element, rooms });
    }
    for (const { 0: word, index } of node.data.matchAll(/[\p{Script=Latin}\p{N}_]{2,}/gu)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top);
      if (Math.max(...tops) - Math.min(...tops) > 4) found.push(`broken: ${short(word)} in ${short(node.data)}`);
    }
  }

  for (const { text, box, element, rooms } of lines) {
    if (told(element)) continue;
    for (const { box: room, x, y } of rooms) {
      if (room.width < 1 || room.height < 1) break;
      const [wide, tall] = [Math.max(room.left - box.left, box.right - room.right), Math.max(room.top - box.top, box.bottom - room.bottom)];
      const apart = box.bottom <= room.top || box.top >= room.bottom; // scrolled out of sight, or below the fold of a box
      if (x && wide > SLACK) found.push(`cut by ${wide.toFixed(0)} px at the side: ${short(text)}`);
      else if (y && tall > box.height * COVER && !apart) found.push(`cut by ${tall.toFixed(0)} px above or below: ${short(text)}`);
    }
    const over = Math.max(box.right - document.documentElement.clientWidth, -box.left);
    if (over > SLACK && !scrolled(rooms)) found.push(`${over.toFixed(0)} px beyond the page: ${short(text)}`);
  }

  // What is in sight of each, from the top of the page.
  const parts = lines.flatMap(({ text, node, box, element, rooms }) => {
    let { left, right, top, bottom } = box;
    for (const { box: room } of rooms) {
      [left, right] = [Math.max(left, room.left), Math.min(right, room.right)];
      [top, bottom] = [Math.max(top, room.top), Math.min(bottom, room.bottom)];
    }
    return left < right && top < bottom ? [{ text, node, element, left, right, top, bottom }] : [];
  });
  parts.sort((one, other) => one.top - other.top);
  parts.forEach((one, i) => {
    for (const other of parts.slice(i + 1)) {
      if (other.top >= one.bottom) break;
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const tall = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (one.node === other.node || wide <= SLACK) continue;
      if (tall > COVER * Math.min(one.bottom - one.top, other.bottom - other.top)) {
        found.push(`${short(one.text)} and ${short(other.text)} cover each other`);
      }
    }
  });
  return [...new Set(found)];
}
