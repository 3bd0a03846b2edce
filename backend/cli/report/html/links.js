// Rank by rank: what was sent, and how fast.

function makeLinks(view) {
  const links = data.pictures.links;
  if (links.rows.length === 0) {
    view.append(make('p', 'note', links.left_out > 0
      ? 'Whom its all-to-alls sent how much is not known.'
      : 'This run had neither all-to-alls nor messages.'));
    return;
  }
  let count = 0;
  const cells = new Map();
  for (const row of links.rows) {
    const bytes = numbersOf(row.bytes);
    const timedBytes = numbersOf(row.timed_bytes);
    const timedNs = numbersOf(row.timed_ns);
    numbersOf(row.to).forEach((to, i) => {
      count = Math.max(count, row.from + 1, to + 1);
      const speed = timedNs[i] > 0 ? timedBytes[i] / timedNs[i] : NaN;
      cells.set(row.from * 65536 + to, { bytes: bytes[i], speed });
    });
  }
  const cellOf = (row, column) => cells.get(row * 65536 + column);
  const all = [...cells.values()];
  const speeds = all.map(cell => cell.speed).filter(speed => speed > 0).sort((a, b) => a - b);
  const slowest = speeds.length > 0 ? speeds[0] : NaN;
  const most = {
    bytes: all.reduce((found, cell) => Math.max(found, cell.bytes), 0),
    // A slow pair is what one looks for: it is the dark one.
    slowness: slowest > 0 ? 1 / slowest : 0,
  };
  const typical = speeds.length > 0 ? speeds[Math.floor(speeds.length / 2)] : NaN;
  // Where one is much slower than most, one looks for that first.
  let what = slowest < typical / 2 ? 'slowness' : 'bytes';
  const per = links.ranks_per_unit;
  const unitName = unit => ranksText(unit * per, unit * per + per - 1);
  const marks = new Set();
  for (const rank of blamed) marks.add(Math.floor(rank / per));
  sayWhoReceivesMost();
  const tools = make('div', 'tools');
  view.append(tools);
  makeKeys(view, { empty: 'nothing was sent', undecided: 'sent, how fast is not known' });
  const chart = makeHeat(view, tools, {
    label: 'Bytes and bandwidth from rank to rank',
    rows: count,
    columns: count,
    square: true,
    marks,
    value(row, column) {
      const cell = cellOf(row, column);
      if (!cell) return NaN;
      return what === 'bytes' ? cell.bytes : 1 / cell.speed;
    },
    isVague: (row, column) =>
      what === 'slowness' && cellOf(row, column) !== undefined && !(cellOf(row, column).speed > 0),
    most: () => most[what],
    rowName: unitName,
    columnNames: (from, to) => [`to ${unitName(from)}`, `to ${unitName(to - 1)}`],
    tell(row, column) {
      const cell = cellOf(row, column);
      const what = cell ? bytesText(cell.bytes) +
        (cell.speed > 0 ? `, ${threeDigits(cell.speed)} GB/s` : ', how fast is not known')
        : 'nothing';
      return `from ${unitName(row)} to ${unitName(column)}: ${what}`;
    },
  });
  function sayWhoReceivesMost() {
    const received = Array(count).fill(0);
    for (const [key, cell] of cells) received[key % 65536] += cell.bytes;
    const most = Math.max(...received);
    const receivers = received.filter(bytes => bytes > 0);
    const mean = receivers.reduce((a, b) => a + b, 0) / receivers.length;
    if (!(most > 1.2 * mean)) return;
    view.append(make('p', 'uneven', `Uneven: ${unitName(received.indexOf(most))} received ` +
      `${threeDigits(most / mean)} times the mean of those that received anything.`));
  }
  makeSwitch(tools, { bytes: 'bytes', slowness: 'slowness (strong is slow)' }, what, name => {
    what = name;
    chart.draw();
  });
}
