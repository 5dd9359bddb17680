// Words as text and as colours. Formats as the machine reads them: exponent field 0 is zero, all ones is infinity.

const scratch = new DataView(new ArrayBuffer(8));

function fromFields(sign, exponent, fraction, bias, fractionBits, allOnes) {
  if (exponent === 0) return sign ? -0 : 0;
  const magnitude = exponent === allOnes ? Infinity : (1 + fraction / 2 ** fractionBits) * 2 ** (exponent - bias);
  return sign ? -magnitude : magnitude;
}

const half = (bits) => fromFields(bits >>> 15, (bits >>> 9) & 63, bits & 511, 31, 9, 63);
const single = (bits) => fromFields(bits >>> 31, (bits >>> 23) & 255, bits & 0x7fffff, 127, 23, 255);

function double(high, low) {
  const exponent = (high >>> 20) & 2047;
  if (exponent === 0 || exponent === 2047) return fromFields(high >>> 31, exponent, 0, 1023, 52, 2047);
  scratch.setUint32(0, high);
  scratch.setUint32(4, low);
  return scratch.getFloat64(0);
}

// Six digits, as C's %g prints them, but whole numbers in full.
function decimal(value) {
  if (Object.is(value, -0)) return "-0";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const magnitude = Math.abs(value);
  if (Number.isInteger(value) && magnitude < 1e8) return String(value);
  const short = Number(value.toPrecision(6));
  return (magnitude < 1e-4 || magnitude >= 1e6 ? short.toExponential() : String(short)).replace("e+", "e");
}

// The same in at most 9 characters, for cells, or in fewer.
function narrow(text, most = 9) {
  for (let digits = 5; text.length > most && digits > 0; digits--) text = decimal(Number(Number(text).toPrecision(digits)));
  return text;
}

const hex = (bits, digits) => bits.toString(16).padStart(digits, "0");

// One way to read words: what it is called, how many make an element, its text, and its value for the colour. `low` and `high` are the
// powers of two at which the colour is faintest and strongest, `room` the width of a word's text in pixels.
const FORMATS = {
  float: { name: _("float"), words: 1, room: 76, values: (w) => [single(w[0])], text: decimal, low: -10, high: 10 },
  half: { name: _("half"), words: 1, room: 76, values: (w) => [half(w[0] >>> 16), half(w[0] & 0xffff)], text: decimal, low: -10, high: 10 },
  double: { name: _("double"), words: 2, room: 76, values: (w) => [double(w[0], w[1])], text: decimal, low: -10, high: 10 },
  int: { name: _("int"), words: 1, room: 94, values: (w) => [w[0] | 0], text: String, low: -1, high: 31 },
  hex: { name: _("hex"), words: 1, room: 72, values: (w) => [w[0]], text: (bits) => hex(bits, 8), low: 0, high: 32 },
};

// Texts of all elements in `words`.
function elements(words, format, shorten = null) {
  const { words: size, values, text } = FORMATS[format];
  const found = [];
  for (let i = 0; i + size <= words.length; i += size) found.push(...values(words.slice(i, i + size)).map(text));
  return shorten && text === decimal ? found.map((one) => shorten(one)) : found;
}

// [r, g, b, alpha] of words: violet above zero, green below (orange and blue are for writing and reading), stronger with size; in hex a hue of its own per bit pattern. None is so strong that text on it cannot be read, in light or dark.
function colour(words, format) {
  if (format === "hex") {
    if (words.every((word) => word === 0)) return [0, 0, 0, 0];
    let mixed = 0;
    for (const word of words) mixed = Math.imul(mixed ^ word, 0x9e3779b1) >>> 0;
    return [...hue((mixed >>> 8) % 360), 0.38];
  }
  const { values, low, high, words: size } = FORMATS[format];
  let largest = 0;
  for (let i = 0; i + size <= words.length; i += size) {
    for (const value of values(words.slice(i, i + size))) if (Math.abs(value) > Math.abs(largest)) largest = value;
  }
  if (largest === 0) return [0, 0, 0, 0];
  const strength = (Math.log2(Math.abs(largest)) - low) / (high - low);
  const alpha = 0.12 + 0.62 * Math.min(1, Math.max(0, strength));
  return largest > 0 ? [138, 79, 192, alpha] : [15, 143, 122, alpha];
}

function hue(degrees) {
  const channel = (shift) => {
    const k = (shift + degrees / 30) % 12;
    return Math.round(255 * (0.5 - 0.38 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

const css = ([r, g, b, alpha]) => (alpha ? `rgba(${r},${g},${b},${alpha.toFixed(2)})` : "transparent");

const SCALES = {
  float: _("Colour: violet positive, green negative, stronger when larger (0.001 to 1000)."),
  half: _("Colour: violet positive, green negative, stronger when larger (0.001 to 1000)."),
  double: _("Colour: violet positive, green negative, stronger when larger (0.001 to 1000)."),
  int: _("Colour: violet positive, green negative, stronger when larger."),
  hex: _("Colour: equal bits have equal colours."),
};
