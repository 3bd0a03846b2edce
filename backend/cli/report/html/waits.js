// Rank by time: who kept others waiting, or who waited.

function makeWaits(view) {
  const waits = data.pictures.waits;
  const rows = waits.rows.map(row => ({
    first: row.first_rank,
    last: row.last_rank,
    caused: row.caused_us.split(' ').map(text => parseInt(text, 10)),
    // As clocks have it, and not certain.
    likely: row.caused_us.split(' ').map(text => text.endsWith('~')),
    suffered: row.suffered_us.split(' ').map(text => (text === '-' ? NaN : parseInt(text, 10))),
    // "?": of some it is not known how long they waited; "~": clocks leave much of it open.
    vague: row.suffered_us.split(' ').map(text => text.replace(/[-\d]/g, '')),
  }));
  if (rows.length === 0) return;
  let what = 'caused';
  const tools = make('div', 'tools');
  view.append(tools);
  const isVague = rows.some(row => row.vague.includes('?') || row.likely.includes(true));
  makeKeys(view, {
    empty: 'nothing happened',
    ...(isVague ? { undecided: 'not known, or not certain' } : {}),
    ...(data.hangs.length > 0 ? { waits: 'waits in a hang' } : {}),
    ...(blamed.size > 0 ? { blame: 'a rank that a verdict names' } : {}),
  });
  // The largest value of each column decides about the scale: one rank that is much worse than the
  // others stays the darkest, and a few moments that are much worse than most are cut off.
  const most = {};
  const largest = {};
  for (const name of ['caused', 'suffered']) {
    const columns = Array.from({ length: waits.columns }, (_, column) =>
      rows.reduce((found, row) => Math.max(found, row[name][column] || 0), 0));
    most[name] = axisEnd(columns);
    largest[name] = columns.reduce((a, b) => Math.max(a, b), 0);
  }
  const totals = rows.map(row => ({
    caused: row.caused.reduce((a, b) => a + b, 0),
    suffered: row.suffered.reduce((a, b) => a + (b || 0), 0),
  }));
  const marks = new Set();
  rows.forEach((row, i) => {
    for (const rank of blamed) if (row.first <= rank && rank <= row.last) marks.add(i);
  });
  const worst = data.pictures.shares.worst_rank;
  const rowOf = rank => rows.findIndex(row => row.first <= rank && rank <= row.last);
  const chart = makeHeat(view, tools, {
    label: 'Waiting caused by each rank over time',
    rows: rows.length,
    columns: waits.columns,
    marks,
    strong: worst === undefined || blamed.size > 0 ? -1 : rowOf(worst),
    spans: data.hangs.flatMap(hang => spansOf(hang, waits.column_ns, rowOf)),
    value: (row, column) =>
      (Number.isNaN(rows[row].suffered[column]) && !rows[row].caused[column]
        ? NaN : rows[row][what][column]),
    isVague: (row, column) => {
      const vague = rows[row].vague[column];
      return vague === '?' || (what === 'caused' ? rows[row].likely[column] : vague === '~');
    },
    most: () => most[what],
    // Sums would leave out the hang, which is the largest.
    total: data.hangs.length > 0 ? undefined : row => totals[row][what],
    totalText: us => timeText(us * 1e3),
    rowName: row => ranksText(rows[row].first, rows[row].last),
    columnNames: (from, to) =>
      [timeText(from * waits.column_ns), timeText(to * waits.column_ns) + ' after the begin'],
    tell(row, column) {
      const here = rows[row];
      const suffered = Number.isNaN(here.suffered[column]) ? 'nothing happened'
        : `waited ${timeText(here.suffered[column] * 1e3)}${here.vague[column] ? ', as far as is known' : ''}`;
      return `${ranksText(here.first, here.last)}, ${timeText(column * waits.column_ns)}: ` +
        `kept others waiting for ${timeText(here.caused[column] * 1e3)}` +
        `${here.likely[column] ? ', which clocks leave open' : ''}; ${suffered}`;
    },
  });
  makeSwitch(tools, { caused: 'caused to others', suffered: 'suffered' }, what, name => {
    what = name;
    sayScale();
    chart.draw();
  });
  const scale = make('p', 'note scale');
  view.append(scale);
  function sayScale() {
    const end = timeText(most[what] * 1e3);
    const isCut = largest[what] > most[what];
    scale.textContent = most[what] === 0 ? '' : 'Darkest colour: ' + (isCut
      ? `${end} or more, the 95th percentile over time. The largest value is ` +
        `${timeText(largest[what] * 1e3)}.` : `${end}.`);
  }
  sayScale();
}

// Bars over the rows of a hang: who waits, and who is missing.
function spansOf(hang, columnNs, rowOf) {
  const spans = hang.waiting.map(one => ({
    row: rowOf(one.rank),
    from: one.from_ns / columnNs,
    until: one.until_ns / columnNs,
    isMissing: false,
    isOpen: one.open,
    words: `waits in ${clean(hang.operation)}` + (one.open ? ', has not returned' : ''),
  }));
  for (const rank of hang.missing) {
    spans.push({
      row: rowOf(rank),
      from: hang.from_ns / columnNs,
      until: hang.until_ns / columnNs,
      isMissing: true,
      isOpen: hang.open,
      words: `rank ${rank} is missing in ${clean(hang.operation)}`,
    });
  }
  return spans.filter(span => span.row >= 0);
}
