// A picture with the keyboard and the pointer on it, drawn anew when its room or its colours change.

const charts = [];

// `view`: where it goes. `options`: height, draw(pen, width, height), at(x, y), which tells what is
// there as a text, and keys, which maps names of keys to what they do.
function makeChart(view, options) {
  const canvas = make('canvas');
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', options.label);
  const readout = make('div', 'readout');
  readout.setAttribute('aria-live', 'polite');
  view.append(canvas, readout);
  const chart = { canvas, readout, draw: () => drawChart(canvas, options), show: text => show(readout, text) };
  canvas.addEventListener('pointermove', event => {
    const box = canvas.getBoundingClientRect();
    chart.show(options.at ? options.at(event.clientX - box.left, event.clientY - box.top) : '');
  });
  canvas.addEventListener('keydown', event => {
    const act = options.keys && options.keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  charts.push(chart);
  return chart;
}

const show = (readout, text) => { readout.textContent = text || ''; };

function drawChart(canvas, options) {
  const width = canvas.clientWidth;
  const height = typeof options.height === 'function' ? options.height() : options.height;
  if (width === 0) return;
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  pen.font = '12px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  options.draw(pen, width, height);
}

const drawAll = () => charts.forEach(chart => chart.draw());

// Buttons of which one is pressed; `choices` maps names to words.
function makeSwitch(tools, choices, chosen, choose) {
  const buttons = Object.entries(choices).map(([name, words]) => {
    const button = make('button', '', words);
    button.type = 'button';
    button.dataset.choice = name;
    button.addEventListener('click', () => press(name));
    tools.append(button);
    return button;
  });
  function press(name) {
    buttons.forEach(button => button.setAttribute('aria-pressed', button.dataset.choice === name));
    choose(name);
  }
  buttons.forEach(button => button.setAttribute('aria-pressed', button.dataset.choice === chosen));
}

function makeButton(tools, words, act) {
  const button = make('button', '', words);
  button.type = 'button';
  button.addEventListener('click', act);
  tools.append(button);
}

// A small picture within a legend.
function makeSample(label, width, draw) {
  const sample = make('canvas');
  const height = 13;
  sample.style.width = width + 'px';
  sample.style.height = height + 'px';
  label.prepend(sample);
  charts.push({ draw() {
    const scale = window.devicePixelRatio || 1;
    sample.width = Math.round(width * scale);
    sample.height = Math.round(height * scale);
    const pen = sample.getContext('2d');
    pen.scale(scale, scale);
    draw(pen, width, height);
  } });
}

// `keys` maps meanings to words. Returns the row of the legend.
function makeKeys(view, keys) {
  const row = make('div', 'tools');
  for (const [name, words] of Object.entries(keys)) {
    const label = make('span', 'key ' + name, words);
    makeSample(label, 13, (pen, width, height) => {
      pen.fillStyle = fillOf(pen, name);
      pen.fillRect(0, 0, width, height);
    });
    row.append(label);
  }
  view.append(row);
  return row;
}

// Adds a colour scale to a legend. Returns a function that sets the texts of its two ends.
function makeScale(keys, ramp) {
  const label = make('span', 'key scale');
  const least = make('span');
  const most = make('span');
  label.append(most);
  makeSample(label, 90, (pen, width, height) => {
    for (let x = 0; x < width; x += 1) {
      pen.fillStyle = rampColour(x / (width - 1), ramp);
      pen.fillRect(x, 0, 1, height);
    }
  });
  label.prepend(least);
  keys.prepend(label);
  return (from, to) => {
    least.textContent = from;
    most.textContent = to;
    label.hidden = to === '';
  };
}

// Round numbers from 0 to `most`.
function ticks(most, about) {
  if (!(most > 0)) return [0];
  const power = 10 ** Math.floor(Math.log10(most / about));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => most / n <= about);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

// Returns where an axis ends: at the largest value, or at the 95th percentile where a few larger
// ones would flatten the rest.
function axisEnd(values) {
  const known = values.filter(value => value > 0).sort((a, b) => a - b);
  if (known.length === 0) return 0;
  const most = known[known.length - 1];
  if (known.length < 5) return most;
  const high = known[Math.floor((known.length - 1) * 0.95)];
  return most > 2 * high ? high : most;
}

// A value beyond the end of an axis: a triangle that points there.
function drawBeyond(pen, x, y, isUp) {
  pen.fillStyle = colour('ink');
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x - 6, y + (isUp ? 8 : -4));
  pen.lineTo(x + (isUp ? 6 : -6), y + (isUp ? 8 : 4));
  pen.fill();
}

// `beyond`: a text for each such value.
function noteBeyond(view, end, beyond, why, remark = '') {
  if (beyond.length === 0) return;
  const kShown = 8;
  const more = beyond.length > kShown ? `, and ${beyond.length - kShown} more` : '';
  view.append(make('p', 'note beyond', `The axis ends at ${timeText(end)}, ${why}. Triangles mark larger ` +
    `values: ${beyond.slice(0, kShown).join(', ')}${more}.${remark}`));
}

function drawAxisY(pen, ticksToDraw, placeOf, textOf, left, right) {
  pen.textAlign = 'right';
  for (const tick of ticksToDraw) {
    const y = placeOf(tick);
    pen.strokeStyle = colour('line');
    pen.beginPath();
    pen.moveTo(left, y);
    pen.lineTo(right, y);
    pen.stroke();
    pen.fillStyle = colour('soft');
    pen.fillText(textOf(tick), left - 6, y);
  }
}
