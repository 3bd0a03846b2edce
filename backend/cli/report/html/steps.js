// Where the time of a step went: a stacked bar for each.

const stepParts = [
  ['computing_ns', 'computing', 'computing'],
  ['hidden_ns', 'hidden', 'computing, with communication hidden behind it'],
  ['calls_ns', 'calls', 'in calls'],
  ['transfer_ns', 'transfer', 'exposed transfer'],
  ['wait_for_peers_ns', 'peers', 'exposed wait for peers'],
  ['undecided_ns', 'undecided', 'exposed, not known which'],
  ['may_wait_ns', 'maywait', 'may be waiting: no record shows whether the program waited'],
];

function stepName(entry, steps) {
  if (steps.by === 'time') return `${timeText(entry.first * steps.stretch_ns)} after the begin`;
  return steps.per_entry === 1 ? `step ${entry.first}`
    : `steps ${entry.first}-${entry.first + steps.per_entry - 1}`;
}

function makeSteps(view) {
  const steps = data.pictures.steps;
  const entries = steps.entries.filter(entry => entry.count > 0);
  if (entries.length === 0) {
    view.append(make('p', 'note', 'No step is known from its begin to its end.'));
    return;
  }
  if (steps.by === 'time') {
    view.append(make('p', 'note',
      'This run marked no steps: equal stretches of its time are shown instead.'));
  }
  let inParts = false;
  const tools = make('div', 'tools');
  view.append(tools);
  makeKeys(view, Object.fromEntries(stepParts.map(([, name, words]) => [name, words])));
  const left = 64;
  const bottom = 24;
  const mean = entry => entry.total_ns / entry.count;
  const most = axisEnd(entries.map(mean));
  const isBeyond = entry => mean(entry) > most;
  const scaleOf = entry => (inParts ? (entry.total_ns || 1) : most * entry.count);
  let at = -1;
  const chart = makeChart(view, {
    label: 'What the time of steps went into',
    height: 240,
    draw(pen, width, height) {
      const high = height - bottom - 8;
      const lines = inParts ? [0, 0.25, 0.5, 0.75, 1] : ticks(most, 5);
      drawAxisY(pen, lines, tick => 8 + high * (1 - tick / (inParts ? 1 : most)),
        tick => (inParts ? percentText(tick) : timeText(tick)), left, width);
      const each = (width - left) / entries.length;
      const gap = each > 6 ? 1 : 0;
      const striped = { undecided: stripes(pen, 'undecided'), maywait: stripes(pen, 'maywait') };
      const bands = [];
      pen.save();
      pen.beginPath();
      pen.rect(left, 8, width - left, high);
      pen.clip();
      entries.forEach((entry, i) => {
        let y = 8 + high;
        for (const [field, name] of stepParts) {
          const part = high * entry[field] / scaleOf(entry);
          pen.fillStyle = striped[name] || colour(name);
          pen.fillRect(left + i * each, y - part, Math.max(each - gap, 0.5), part);
          y -= part;
          // Around the border of transfer and wait, what clocks leave open.
          if (name !== 'transfer' || !(entry.uncertain_ns > 0)) continue;
          const open = high * entry.uncertain_ns / scaleOf(entry);
          const top = Math.max(y - open, y - high * entry.wait_for_peers_ns / scaleOf(entry));
          bands.push([left + i * each, top, Math.max(each - gap, 0.5),
            Math.min(y + open, y + part) - top]);
        }
        if (i === at) {
          pen.strokeStyle = colour('ink');
          pen.strokeRect(left + i * each, 8, Math.max(each - gap, 1), high);
        }
      });
      pen.fillStyle = stripes(pen, 'page');
      for (const band of bands) pen.fillRect(...band);
      pen.restore();
      entries.forEach((entry, i) => {
        if (!inParts && isBeyond(entry)) drawBeyond(pen, left + (i + 0.5) * each, 0, true);
      });
      pen.fillStyle = colour('soft');
      pen.textAlign = 'left';
      pen.fillText(stepName(entries[0], steps), left, height - 10);
      pen.textAlign = 'right';
      pen.fillText(stepName(entries[entries.length - 1], steps), width, height - 10);
    },
    at(x) {
      const each = (chart.canvas.clientWidth - left) / entries.length;
      return x < left ? '' : tell(Math.min(Math.floor((x - left) / each), entries.length - 1));
    },
    keys: { ArrowLeft: () => move(-1), ArrowRight: () => move(1) },
  });
  function tell(i) {
    const entry = entries[i];
    const parts = stepParts.filter(([field]) => entry[field] > 0)
      .map(([field, , words]) => `${words} ${timeText(entry[field] / entry.count)}`);
    const unseen = entry.waits_unknown > 0
      ? `; ${entry.waits_unknown} operations have no recorded wait` : '';
    const hung = entry.not_ended > 0
      ? `; on ${entry.not_ended} ${entry.not_ended === 1 ? 'rank' : 'ranks'} it had not ended` : '';
    const open = entry.uncertain_ns > 0
      ? `; of the last two clocks leave ${timeText(entry.uncertain_ns / entry.count)} open` : '';
    return `${stepName(entry, steps)}: ${timeText(mean(entry))}: ${parts.join(', ')}${open}${unseen}${hung}`;
  }
  function move(by) {
    at = Math.min(Math.max(at + by, 0), entries.length - 1);
    chart.draw();
    chart.say(tell(at));
  }
  noteBeyond(view, most, entries.filter(isBeyond)
    .map(entry => `${stepName(entry, steps)} ${timeText(mean(entry))}`));
  makeSwitch(tools, { time: 'time', parts: 'parts of the step' }, 'time', name => {
    inParts = name === 'parts';
    chart.draw();
  });
  if (entries.some(entry => entry.uncertain_ns > 0.01 * entry.total_ns)) {
    view.append(make('p', 'note',
      'Striped around the border of transfer and wait: clocks leave open which of them it was.'));
  }
  if (entries.some(entry => entry.waits_unknown > 0)) {
    view.append(make('p', 'note',
      'Striped at the top: operations were under way and the program may have waited for them. ' +
      'DDP waits inside C++, where no wait is recorded.'));
  }
}
