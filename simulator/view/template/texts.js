// What the page says, in the language it was made in: TEXTS has English to translated, and nothing in English.

// A text of the page, with its places filled in. Whole sentences, for words stand in another order elsewhere.
function _(text, places = {}) {
  return (TEXTS[text] ?? text).replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);
}

// A list in words.
const listed = (items) => (items.length ? items.reduce((before, last) => _("{before}, {last}", { before, last })) : "");

// How many narrow letters a text is as wide as.
const letters = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u2fff" ? 2 : 1), 0);
