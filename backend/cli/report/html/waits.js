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
  const noOperation = data.lossy || data.paused ? 'no recorded operation' : 'no operation';
  const isVague = rows.some(row => row.vague.includes('?') || row.likely.includes(true));
  const keys = makeKeys(view, {
    empty: noOperation,
    ...(isVague ? { unknown: 'not known, or not certain' } : {}),
    ...(data.hangs.length > 0 ? { peers: 'waiting in the hung operation' } : {}),
    ...(blamed.size > 0 ? { blame: 'named by the verdict' } : {}),
  });
  const setScale = makeScale(keys, 'waiting');
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
    ramp: 'waiting',
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
    totalName: 'sum of the run',
    rowName: row => ranksText(rows[row].first, rows[row].last),
    columnNames: (from, to) =>
      [timeText(from * waits.column_ns),
        timeText(to * waits.column_ns) + ' after the first operation'],
    describe(row, column) {
      const here = rows[row];
      const suffered = Number.isNaN(here.suffered[column]) ? `had ${noOperation}`
        : `waited ${timeText(here.suffered[column] * 1e3)}${here.vague[column] ? ', as far as is known' : ''}`;
      return `${ranksText(here.first, here.last)}, ${timeText(column * waits.column_ns)} to ` +
        `${timeText((column + 1) * waits.column_ns)}: others waited ` +
        `${timeText(here.caused[column] * 1e3)} for it, summed over them` +
        `${here.likely[column] ? ' (mostly uncertain)' : ''}; ${suffered}`;
    },
  });
  makeSwitch(tools, { caused: 'others waited for it', suffered: 'it waited' }, what, name => {
    what = name;
    showScale();
    chart.draw();
  });
  showScale();
  function showScale() {
    const orMore = largest[what] > most[what] ? ' or more' : '';
    const part = most[what] * 1e3 / waits.column_ns;
    if (most[what] === 0) return setScale('', '');
    if (what === 'caused') {
      return setScale('0',
        `${threeDigits(part)}${orMore} ranks waiting for it (mean of ${timeText(waits.column_ns)})`);
    }
    return setScale('0 %', `${percentText(part)}${orMore} of ${timeText(waits.column_ns)} spent waiting`);
  }
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
