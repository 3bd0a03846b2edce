// Where the time of each step went: a stacked bar per step.

const stepParts = [
  // Without an absent rank, ranks outside the hung operation may do anything.
  ['computing_ns', 'computing', 'outside communication' +
    (data.hangs.some(hang => hang.missing.length === 0) ? '' : ' (computing)')],
  ['hidden_ns', 'hidden', 'computing, with communication hidden behind it'],
  ['calls_ns', 'calls', 'in calls'],
  ['exposed_transfer_ns', 'transfer', 'waiting for a transfer'],
  ['exposed_wait_for_peers_ns', 'peers',
    'waiting for the slowest rank' + (data.hangs.length > 0 ? ', in a hang for the absent one' : '')],
  ['undecided_ns', 'undecided', 'waiting for a rank or a transfer (not known which)'],
  ['may_wait_ns', 'maywait', 'computing or waiting (not recorded)'],
  ['missing_ns', 'unrecorded', 'absent rank during the hang (not recorded)'],
];

// Returns the entry with the time of hangs moved: ranks in the hung operation wait for the absent
// rank, and what the absent rank did is not recorded. Moves only time of which the trace shows no
// other state. `windows`: for each hang, the time to move, in ns since the charts begin, and whether
// the entry counts the absent rank.
function withHangs(entry, windows) {
  const moved = { ...entry, missing_ns: 0 };
  const take = (ns, from, to) => {
    const part = Math.min(ns, moved[from]);
    moved[from] -= part;
    moved[to] += part;
    return ns - part;
  };
  const overlap = (from, until, window) =>
    Math.max(Math.min(until, window.until) - Math.max(from, window.from), 0);
  for (const { hang, window, isCounted } of windows) {
    let waited = 0;
    for (const one of hang.waiting) waited += overlap(one.from_ns, one.until_ns, window);
    for (const from of ['undecided_ns', 'may_wait_ns']) waited = take(waited, from, 'exposed_wait_for_peers_ns');
    for (const traceEnd of hang.missing_until_ns) {
      const all = overlap(hang.from_ns, hang.until_ns, window);
      const counted = !isCounted ? 0
        : overlap(hang.from_ns, Math.min(hang.until_ns, traceEnd), window);
      take(counted, 'computing_ns', 'missing_ns');
      moved.missing_ns += all - counted;
      moved.total_ns += all - counted;
      // After the end of its trace, entries do not count the rank.
      if (all > 0 && (!isCounted || traceEnd <= window.from)) moved.count += 1;
    }
  }
  return moved;
}

// Returns the entries with their hangs. `spans`: of hangSpans().
function entriesWithHangs(steps, entries, spans) {
  return entries.map((entry, i) => withHangs(entry, spans
    .filter(span => i + 1 > span.from && i < span.until)
    .map(({ hang }) => (steps.by === 'time'
      ? { hang, isCounted: true,
        window: { from: entry.first * steps.stretch_ns, until: (entry.first + 1) * steps.stretch_ns } }
      : { hang, isCounted: entry.count > hang.waiting.length,
        window: { from: hang.from_ns, until: hang.until_ns } }))));
}

function stepName(entry, steps) {
  if (steps.by === 'time') return `${timeText(entry.first * steps.stretch_ns)} after the first operation`;
  return steps.per_entry === 1 ? `step ${entry.first}`
    : `steps ${entry.first}-${entry.first + steps.per_entry - 1}`;
}

// Where hangs are, counted in entries: from its begin to its end, or to the end of the chart.
function hangSpans(steps, entries) {
  const placeOf = ns => {
    const at = ns / steps.stretch_ns;
    const next = entries.findIndex(entry => entry.first + 1 > at);
    return next < 0 ? entries.length : next + Math.max(at - entries[next].first, 0);
  };
  return data.hangs.map(hang => {
    if (steps.by === 'time') {
      return { hang, from: placeOf(hang.from_ns),
        until: hang.open ? entries.length : placeOf(hang.until_ns) };
    }
    // Steps have no instants: a hang is in the last step that is long enough.
    const long = (hang.until_ns - hang.from_ns) / 2;
    const from = entries.map(entry => entry.longest_ns >= long).lastIndexOf(true);
    return { hang, from, until: from + 1 };
  }).filter(span => span.from >= 0 && span.until > span.from);
}

// A bar above the steps, with an arrow where the hang had not ended.
function drawHang(pen, { hang }, from, until, bottom) {
  pen.fillStyle = pen.strokeStyle = colour('blame');
  pen.setLineDash([4, 3]);
  pen.beginPath();
  pen.moveTo(from, 2);
  pen.lineTo(from, bottom);
  pen.stroke();
  pen.setLineDash([]);
  const tip = hang.open ? 8 : 0;
  pen.beginPath();
  pen.moveTo(from, 2);
  pen.lineTo(until - tip, 2);
  pen.lineTo(until, 11);
  pen.lineTo(until - tip, 20);
  pen.lineTo(from, 20);
  pen.fill();
  const words = hangText(hang);
  const isInside = pen.measureText(words).width < until - from - 24;
  pen.textAlign = isInside ? 'left' : 'right';
  pen.fillStyle = colour(isInside ? 'page' : 'blame');
  pen.fillText(words, isInside ? from + 8 : from - 6, 11);
}

function makeSteps(view) {
  const steps = data.pictures.steps;
  const recorded = steps.entries.filter(entry => entry.count > 0 && entry.total_ns > 0);
  if (recorded.length === 0) {
    view.append(make('p', 'note', 'No step has a known begin and end.'));
    return;
  }
  const hangs = hangSpans(steps, recorded);
  const entries = entriesWithHangs(steps, recorded, hangs);
  if (steps.by === 'time') {
    view.append(make('p', 'note',
      'This run marked no steps: the bars are equal intervals of its time.'));
  }
  let inParts = false;
  const tools = make('div', 'tools');
  view.append(tools);
  const used = stepParts.filter(([field]) =>
    entries.some(entry => entry[field] > 0.001 * entry.total_ns));
  makeKeys(view, Object.fromEntries(used.map(([, name, words]) => [name, words])));
  const left = 64;
  const top = hangs.length > 0 ? 30 : 8;
  const bottom = 24;
  const mean = entry => entry.total_ns / entry.count;
  const most = axisEnd(entries.map(mean));
  const isBeyond = entry => mean(entry) > most;
  // A bar that is cut off shows the parts of its step: else only the lowest ones would be seen.
  const scaleOf = entry => (inParts || isBeyond(entry) ? entry.total_ns : most * entry.count);
  let at = -1;
  const chart = makeChart(view, {
    label: 'Where the time of each step went',
    height: 232 + top,
    draw(pen, width, height) {
      const high = height - bottom - top;
      const lines = inParts ? [0, 0.25, 0.5, 0.75, 1] : ticks(most, 5);
      drawAxisY(pen, lines, tick => top + high * (1 - tick / (inParts ? 1 : most)),
        tick => (inParts ? percentText(tick) : timeText(tick)), left, width);
      const each = (width - left) / entries.length;
      const gap = each > 6 ? 1 : 0;
      const fills = Object.fromEntries(stepParts.map(([, name]) => [name, fillOf(pen, name)]));
      const bands = [];
      pen.save();
      pen.beginPath();
      pen.rect(left, top, width - left, high);
      pen.clip();
      entries.forEach((entry, i) => {
        let y = top + high;
        for (const [field, name] of stepParts) {
          const part = high * entry[field] / scaleOf(entry);
          pen.fillStyle = fills[name];
          pen.fillRect(left + i * each, y - part, Math.max(each - gap, 0.5), part);
          y -= part;
          // Around the border of transfer and wait, what clocks leave open.
          if (name !== 'transfer' || !(entry.uncertain_ns > 0)) continue;
          const open = high * entry.uncertain_ns / scaleOf(entry);
          const begin = Math.max(y - open, y - high * entry.exposed_wait_for_peers_ns / scaleOf(entry));
          bands.push([left + i * each, begin, Math.max(each - gap, 0.5),
            Math.min(y + open, y + part) - begin]);
        }
        if (i === at) {
          pen.strokeStyle = colour('ink');
          pen.strokeRect(left + i * each, top, Math.max(each - gap, 1), high);
        }
      });
      pen.fillStyle = fillOf(pen, 'split');
      for (const band of bands) pen.fillRect(...band);
      pen.restore();
      entries.forEach((entry, i) => {
        if (!inParts && isBeyond(entry)) drawBeyond(pen, left + (i + 0.5) * each, top - 8, true);
      });
      for (const span of hangs) {
        drawHang(pen, span, left + span.from * each, left + span.until * each, top + high);
      }
      pen.fillStyle = colour('soft');
      pen.textAlign = 'left';
      pen.fillText(stepName(entries[0], steps), left, height - 10);
      pen.textAlign = 'right';
      pen.fillText(stepName(entries[entries.length - 1], steps), width, height - 10);
    },
    at(x) {
      const each = (chart.canvas.clientWidth - left) / entries.length;
      return x < left ? '' : describe(Math.min(Math.floor((x - left) / each), entries.length - 1));
    },
    keys: { ArrowLeft: () => move(-1), ArrowRight: () => move(1) },
  });
  function describe(i) {
    const entry = entries[i];
    const parts = stepParts.filter(([field]) => entry[field] > 0)
      .map(([field, , words]) => `${words} ${timeText(entry[field] / entry.count)}`);
    const unseen = entry.waits_unknown > 0
      ? `; ${entry.waits_unknown} operations have no recorded wait` : '';
    const hung = entry.not_ended > 0
      ? `; it did not end on ${entry.not_ended} ${entry.not_ended === 1 ? 'rank' : 'ranks'}` : '';
    const open = entry.uncertain_ns > 0
      ? `; ${timeText(entry.uncertain_ns / entry.count)} may be transfer or waiting` : '';
    return `${stepName(entry, steps)}: ${timeText(mean(entry))}: ${parts.join(', ')}${open}${unseen}${hung}`;
  }
  function move(by) {
    at = Math.min(Math.max(at + by, 0), entries.length - 1);
    chart.draw();
    chart.show(describe(at));
  }
  noteBeyond(view, most, entries.filter(isBeyond)
    .map(entry => `${stepName(entry, steps)} ${timeText(mean(entry))}`),
    'the 95th percentile', ' Their bars show the parts of the step.');
  makeSwitch(tools, { time: 'time', parts: 'parts of the step' }, 'time', name => {
    inParts = name === 'parts';
    chart.draw();
  });
  if (entries.some(entry => entry.uncertain_ns > 0.01 * entry.total_ns)) {
    view.append(make('p', 'note',
      'Stripes around the border of transfer and wait: which of the two it was is uncertain.'));
  }
  if (hangs.length > 0) {
    view.append(make('p', 'note', 'The hang is shown as waiting. The table lists its time as ' +
      '“waiting for either” or “computing or waiting”, because no end of a wait is recorded.'));
  }
  if (data.lossy) {
    view.append(make('p', 'note', 'Records are missing. A rank with losses may have waited or ' +
      'communicated in the gaps before its last loss: they are “computing or waiting”. Each bar is ' +
      'the mean over the ranks whose step is recorded.'));
  }
  if (data.paused) {
    view.append(make('p', 'note',
      'Tracing was switched off for part of the run: that part is “computing or waiting”.'));
  }
  if (entries.some(entry => entry.waits_unknown > 0 && entry.may_wait_ns > 0.001 * entry.total_ns)) {
    view.append(make('p', 'note',
      '“Computing or waiting”: operations were in flight, and the program may have waited for ' +
      'them. Waits for futures are not recorded.'));
  }
}
