// A plot per series: what changed first, the others where they are asked for.

const plotsAtOnce = 24;

const valueText = (value, unit) =>
  unit === 'ns' ? timeText(value) : unit === 'B' ? bytesText(value) : threeDigits(value);

function runText(index) {
  const [label, date] = data.runs[Math.min(index, data.runs.length - 1)];
  return label ? `${clean(label)}, ${date}` : date;
}

// Means between the changes, each with the runs that it is of.
function statesOf(series) {
  const { changes } = series;
  return changes.map((change, i) => ({
    mean: change.before, from: i === 0 ? 0 : changes[i - 1].run, to: change.run,
  })).concat(changes.slice(-1).map(
    change => ({ mean: change.after, from: change.run, to: data.runs.length })));
}

function makePlot(list, series) {
  const values = numbersOf(series.values);
  const known = values.filter(value => !Number.isNaN(value));
  const most = Math.max(...known) || 1;
  const least = Math.min(...known);
  // From 0 where that hides nothing.
  const bottom = least > most / 2 ? least - (most - least) * 0.2 : 0;
  const top = most + (most - bottom) * 0.08 || 1;
  const left = 70;
  const view = make('figure', 'plot ' + (series.follows ? 'follows' : series.verdict));
  const title = `${series.part} of ${clean(series.of)}`;
  view.append(make('figcaption', '', title));
  list.append(view);
  let at = -1;
  const xOf = (run, width) => left + (width - left - 8) * (run + 0.5) / data.runs.length;
  const chart = makeChart(view, {
    label: title,
    height: 130,
    draw(pen, width, height) {
      const yOf = value => 8 + (height - 16) * (1 - (value - bottom) / (top - bottom));
      const lines = [bottom, (bottom + top) / 2, top];
      drawAxisY(pen, lines, yOf, value => valueText(value, series.unit), left, width - 8);
      pen.strokeStyle = colour('blame');
      for (const change of series.changes) {
        pen.setLineDash(change.one_run ? [3, 3] : []);
        const x = xOf(change.run - 0.5, width);
        pen.beginPath();
        pen.moveTo(x, 4);
        pen.lineTo(x, height - 4);
        pen.stroke();
      }
      pen.setLineDash([]);
      pen.fillStyle = colour('transfer');
      values.forEach((value, i) => {
        if (Number.isNaN(value)) return;
        pen.beginPath();
        pen.arc(xOf(middleOf(i), width), yOf(value), values.length > 300 ? 1 : 1.8, 0, 7);
        pen.fill();
      });
      pen.strokeStyle = colour('ink');
      pen.beginPath();
      for (const state of statesOf(series)) {
        pen.moveTo(xOf(state.from - 0.5, width), yOf(state.mean));
        pen.lineTo(xOf(state.to - 0.5, width), yOf(state.mean));
      }
      pen.stroke();
      if (at >= 0) {
        pen.strokeStyle = colour('soft');
        pen.strokeRect(xOf(middleOf(at), width) - 4, 4, 8, height - 8);
      }
    },
    at(x) {
      const run = Math.floor((x - left) / (chart.canvas.clientWidth - left - 8) * data.runs.length);
      return run < 0 || run >= data.runs.length ? '' : tell(Math.floor(run / series.together));
    },
    keys: { ArrowLeft: () => move(-1), ArrowRight: () => move(1) },
  });
  const middleOf = i => Math.min((i + 0.5) * series.together, data.runs.length) - 0.5;
  function tell(i) {
    const from = i * series.together;
    const to = Math.min(from + series.together, data.runs.length) - 1;
    const runs = from === to ? runText(from) : `mean of ${runText(from)} to ${runText(to)}`;
    const value = Number.isNaN(values[i]) ? 'no value' : valueText(values[i], series.unit);
    const change = series.changes.find(one => one.run >= from && one.run <= to);
    return `${runs}: ${value}` + (change === undefined ? '' :
      `; the mean was ${valueText(change.before, series.unit)} before and is ` +
      `${valueText(change.after, series.unit)}, p ${threeDigitsOfP(change.p)}`);
  }
  function move(by) {
    at = Math.min(Math.max(at + by, 0), values.length - 1);
    chart.draw();
    chart.say(tell(at));
  }
  return chart;
}

const threeDigitsOfP = p => (p === 0 ? '0' : p.toExponential(1));

function makePlots(view) {
  const tools = make('div', 'tools');
  const list = make('div', 'plots');
  const more = make('div', 'tools');
  view.append(tools, list, more);
  let which = data.series.some(series => series.changes.length > 0) ? 'changed' : 'all';
  let words = [];
  let count = plotsAtOnce;
  const label = make('label', '', 'Search ');
  const input = make('input');
  input.type = 'search';
  label.append(input);
  const found = make('span', 'found');
  makeSwitch(tools, { changed: 'What changed', all: 'All series' }, which, choice => {
    which = choice;
    show(plotsAtOnce);
  });
  tools.append(label, found);
  input.addEventListener('input', () => {
    words = input.value.toLowerCase().split(/\s+/).filter(word => word);
    show(plotsAtOnce);
  });
  function show(most) {
    count = most;
    charts.length = 0;
    list.replaceChildren();
    more.replaceChildren();
    const chosen = data.series.filter(series =>
      (which === 'all' || series.changes.length > 0) &&
      words.every(word => `${series.part} of ${series.of}`.toLowerCase().includes(word)));
    chosen.slice(0, count).forEach(series => makePlot(list, series));
    found.textContent = `${Math.min(count, chosen.length)} of ${chosen.length} series`;
    if (chosen.length > count) {
      makeButton(more, `${plotsAtOnce} more`, () => show(count + plotsAtOnce));
    }
    drawAll();
  }
  show(count);
  if (data.left_out > 0) {
    view.append(make('p', 'note',
      `${data.left_out} more series have no room on a page; --key chooses which are shown.`));
  }
}

makePlots(document.querySelector('[data-view=plots]'));
