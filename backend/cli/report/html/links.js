// Rank by rank: what was sent, and how fast.

const nodeName = node => (node === undefined ? 'ranks of no known node'
  : clean(node.name) + (node.more > 0 ? ` and ${node.more} more` : ''));

// Whether a rank is among those of a text such as "0-3,8,16-30/2".
const holdsRank = (text, rank) => text.split(',').some(run => {
  const [, first, last, stride] = run.match(/^(\d+)(?:-(\d+))?(?:\/(\d+))?$/).map(Number);
  return rank >= first && rank <= (last || first) && (rank - first) % (stride || 1) === 0;
});

function makeLinks(view) {
  const links = data.pictures.links;
  if (links.rows.length === 0) {
    view.append(make('p', 'note', links.left_out > 0
      ? 'The bytes that each pair of ranks exchanged are not known.'
      : 'This run had neither all-to-alls nor messages.'));
    return;
  }
  let count = 0;
  const cells = new Map();
  for (const row of links.rows) {
    const lists = Object.fromEntries(Object.entries(row)
      .filter(([name]) => name !== 'from').map(([name, text]) => [name, numbersOf(text)]));
    lists.to.forEach((to, i) => {
      count = Math.max(count, row.from + 1, to + 1);
      cells.set(row.from * 65536 + to, {
        bytes: lists.bytes[i],
        message: lists.message_ns[i] / lists.message_bytes[i],
        exchange: lists.exchange_ns[i] / lists.exchange_bytes[i],
      });
    });
  }
  const cellOf = (row, column) => cells.get(row * 65536 + column);
  const valuesOf = name => [...cells.values()].map(cell => cell[name]).filter(value => value > 0)
    .sort((a, b) => a - b);
  // The slowest pair has the strongest colour.
  const choices = {
    bytes: 'bytes', message: 'slow messages', exchange: 'slow all-to-alls',
  };
  const most = {};
  for (const name of Object.keys(choices)) {
    const values = valuesOf(name);
    if (values.length > 0) most[name] = values[values.length - 1];
    else delete choices[name];
  }
  // Begins with speeds if one pair is much slower than most.
  let what = 'bytes';
  for (const name of ['exchange', 'message']) {
    const values = valuesOf(name);
    if (most[name] > 2 * values[Math.floor(values.length / 2)]) what = name;
  }
  const per = links.ranks_per_unit;
  const byNodes = links.nodes.length > 0;
  const unitName = unit => (byNodes ? nodeName(links.nodes[unit])
    : ranksText(unit * per, unit * per + per - 1));
  const wholeName = unit => unitName(unit) +
    (links.nodes[unit] ? ` (ranks ${links.nodes[unit].ranks})` : '');
  const unitOf = rank => (byNodes ? links.nodes.findIndex(node => holdsRank(node.ranks, rank))
    : Math.floor(rank / per));
  const marks = new Set([...blamed].map(unitOf));
  if (byNodes) {
    view.append(make('p', 'note', 'By node, because the job has too many pairs of ranks. Traffic within a ' +
      'node is on the diagonal.'));
  }
  showTopReceiver();
  const tools = make('div', 'tools');
  view.append(tools);
  const setScale = makeScale(
    makeKeys(view, { empty: 'nothing sent', unknown: 'sent, speed not known' }), 'data');
  const showScale = () => setScale('0', what === 'bytes' ? bytesText(most.bytes)
    : `${threeDigits(1 / most[what])} GB/s, the slowest pair`);
  showScale();
  const chart = makeHeat(view, tools, {
    label: 'Bytes and bandwidth from rank to rank',
    ramp: 'data',
    rows: count,
    columns: count,
    square: true,
    marks,
    value(row, column) {
      const cell = cellOf(row, column);
      if (!cell) return NaN;
      return cell[what] >= 0 ? cell[what] : NaN;
    },
    isVague(row, column) {
      const cell = cellOf(row, column);
      return cell !== undefined && !(cell[what] >= 0);
    },
    most: () => most[what],
    // Names of hosts differ at their ends.
    rowName: unit => (byNodes ? unitName(unit).replace(/^.+(?=.{9}$)/, '…') : unitName(unit)),
    columnNames: (from, to) => [`to ${unitName(from)}`, `to ${unitName(to - 1)}`],
    describe(row, column) {
      const cell = cellOf(row, column);
      const pair = `from ${wholeName(row)} to ${wholeName(column)}: `;
      if (!cell) return pair + 'nothing';
      const speeds = [['message', 'messages'], ['exchange', 'all-to-alls']]
        .filter(([name]) => cell[name] > 0)
        .map(([name, words]) => `${words} ${threeDigits(1 / cell[name])} GB/s`);
      return pair + [bytesText(cell.bytes), ...(speeds.length > 0 ? speeds
        : ['speed not known'])].join(', ');
    },
  });
  function showTopReceiver() {
    const received = Array(count).fill(0);
    for (const [key, cell] of cells) received[key % 65536] += cell.bytes;
    const most = Math.max(...received);
    const receivers = received.filter(bytes => bytes > 0);
    const mean = receivers.reduce((a, b) => a + b, 0) / receivers.length;
    if (!(most > 1.2 * mean)) return;
    view.append(make('p', 'uneven', `Uneven: ${unitName(received.indexOf(most))} received ` +
      `${threeDigits(most / mean)} times the mean of the ranks that received anything.`));
  }
  makeSwitch(tools, choices, what, name => {
    what = name;
    showScale();
    chart.draw();
  });
}
