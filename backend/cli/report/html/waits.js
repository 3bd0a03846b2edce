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
  makeKeys(view, {
    empty: 'nothing happened', undecided: 'striped: not known, or not certain',
    blame: 'a rank that a verdict names',
  });
  const most = {};
  for (const name of ['caused', 'suffered']) {
    most[name] = rows.reduce(
      (found, row) => row[name].reduce((a, b) => (b > a ? b : a), found), 0);
  }
  const totals = rows.map(row => ({
    caused: row.caused.reduce((a, b) => a + b, 0),
    suffered: row.suffered.reduce((a, b) => a + (b || 0), 0),
  }));
  const marks = new Set();
  rows.forEach((row, i) => {
    for (const rank of blamed) if (row.first <= rank && rank <= row.last) marks.add(i);
  });
  const chart = makeHeat(view, tools, {
    label: 'Waiting caused by each rank over time',
    rows: rows.length,
    columns: waits.columns,
    marks,
    value: (row, column) =>
      (Number.isNaN(rows[row].suffered[column]) && !rows[row].caused[column]
        ? NaN : rows[row][what][column]),
    isVague: (row, column) => {
      const vague = rows[row].vague[column];
      return vague === '?' || (what === 'caused' ? rows[row].likely[column] : vague === '~');
    },
    most: () => most[what],
    total: row => totals[row][what],
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
    chart.draw();
  });
}
