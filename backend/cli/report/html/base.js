'use strict';
// What all views need: the data, elements, and numbers as people read them.

const data = JSON.parse(document.getElementById('data').textContent);
const blamed = new Set(data.blamed);

// A name from a trace is text, and shows no more than that.
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const clean = text => String(text).replace(unprintable, '?');

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const numbersOf = text => (text === '' ? [] : text.split(' ').map(Number));

const threeDigits = value => {
  if (value === 0) return '0';
  if (value >= 1e6) return value.toExponential(2);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
};

function timeText(ns) {
  if (ns >= 1e9) return threeDigits(ns / 1e9) + ' s';
  if (ns >= 1e6) return threeDigits(ns / 1e6) + ' ms';
  return threeDigits(ns / 1e3) + ' µs';
}

function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0;
  while (bytes >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    unit += 1;
  }
  return (unit === 0 ? bytes : threeDigits(bytes)) + ' ' + units[unit];
}

const percentText = part => threeDigits(part * 100) + ' %';

const ranksText = (first, last) => (first === last ? `rank ${first}` : `ranks ${first}-${last}`);

const listOf = ranks => {
  if (ranks.length > 6) return `${ranks.length} ranks`;
  return (ranks.length === 1 ? 'rank ' : 'ranks ') + ranks.join(', ');
};

const hangText = hang => {
  const waiting = hang.waiting.map(one => one.rank);
  const who = waiting.length > 0 ? listOf(waiting) : 'ranks';
  const verb = hang.open ? (waiting.length === 1 ? 'waits' : 'wait') : 'waited';
  const whom = hang.missing.length > 0 ? ` for ${listOf(hang.missing)}` : '';
  return `hang, ${timeText(hang.until_ns - hang.from_ns)}: ${who} ${verb}${whom}`;
};

const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;

// From nothing to most: one hue, and brightness alone shows the amount, so that all eyes see it.
// Violet is waiting, blue is data.
const ramps = {
  waiting: {
    light: [[243, 241, 247], [214, 195, 230], [168, 124, 203], [110, 60, 152], [46, 14, 74]],
    dark: [[30, 28, 43], [66, 44, 92], [122, 78, 164], [188, 146, 226], [250, 244, 255]],
  },
  data: {
    light: [[240, 243, 247], [176, 203, 230], [98, 150, 204], [38, 88, 156], [9, 24, 66]],
    dark: [[28, 34, 43], [30, 62, 102], [48, 110, 172], [120, 182, 236], [246, 251, 255]],
  },
};

function rampColour(part, ramp) {
  const stops = ramps[ramp][isDark() ? 'dark' : 'light'];
  const place = Math.min(Math.max(part, 0), 1) * (stops.length - 1);
  const lower = Math.min(Math.floor(place), stops.length - 2);
  const mixed = stops[lower].map(
    (value, i) => Math.round(value + (stops[lower + 1][i] - value) * (place - lower)));
  return `rgb(${mixed.join(',')})`;
}

// Stripes mean unknown: of two colours if it is one of two states, else grey.
const striped = {
  undecided: ['peers', 'transfer'],
  maywait: ['peers', 'computing'],
  unknown: ['soft', null],
  unrecorded: ['line', 'page'],
  split: ['page', null],
};

// Returns what fills areas of this meaning, in charts and in their legends.
function fillOf(context, name) {
  return striped[name] ? stripes(context, ...striped[name]) : colour(name);
}

function stripes(context, name, ground) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const pen = tile.getContext('2d');
  if (ground) {
    pen.fillStyle = colour(ground);
    pen.fillRect(0, 0, 8, 8);
  }
  pen.strokeStyle = colour(name);
  pen.lineWidth = ground ? 3 : 2;
  pen.beginPath();
  for (const shift of [-8, 0, 8]) {
    pen.moveTo(shift, 8);
    pen.lineTo(shift + 8, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}
