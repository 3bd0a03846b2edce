// Groups as a grid of tiles.

const groupFigures = {
  transfer: ['transfer', group => group.transfer.mean_ns, timeText],
  wait: ['wait for the slowest rank', group => group.wait_for_peers.mean_ns, timeText],
  completion: ['issue to end', group => group.completion.mean_ns, timeText],
  bytes: ['bytes', group => group.bytes, bytesText],
};

function makeGroups(view) {
  const groups = data.groups.rows;
  if (groups.length === 0) {
    view.append(make('p', 'note', 'No group is known.'));
    return;
  }
  const known = name => groups.some(group => groupFigures[name][1](group) > 0);
  let what = ['transfer', 'completion', 'bytes'].find(known) || 'bytes';
  const tools = make('div', 'tools');
  view.append(tools);
  const widest = groups.length <= 60 ? 190 : 64;
  const tile = groups.length <= 60 ? 56 : 26;
  let across = 1;
  let at = -1;
  const chart = makeChart(view, {
    label: 'Groups',
    height: () => Math.ceil(groups.length / acrossOf()) * tile + 6,
    draw(pen, width) {
      across = acrossOf();
      const each = Math.min(width / across, 2 * widest);
      const [, valueOf, textOf] = groupFigures[what];
      // Groups of as many members are compared with each other.
      const most = {};
      const alike = {};
      for (const group of groups) {
        (alike[group.size] = alike[group.size] || []).push(valueOf(group) || 0);
      }
      for (const size of Object.keys(alike)) most[size] = axisEnd(alike[size]);
      const vague = fillOf(pen, 'unknown');
      groups.forEach((group, i) => {
        const x = (i % across) * each;
        const y = Math.floor(i / across) * tile;
        const value = valueOf(group);
        const isTold = alike[group.size].length > 1 && most[group.size] > 0 && value !== undefined;
        const part = isTold ? value / most[group.size] : 0.1;
        pen.fillStyle = value === undefined ? vague : rampColour(part, what === 'wait' ? 'waiting' : 'data');
        pen.fillRect(x, y, each - 3, tile - 3);
        if (i === at) {
          pen.strokeStyle = colour('ink');
          pen.strokeRect(x + 1, y + 1, each - 5, tile - 5);
        }
        if (tile < 40) return;
        pen.save();
        pen.beginPath();
        pen.rect(x, y, each - 5, tile - 3);
        pen.clip();
        pen.fillStyle = colour(part > 0.45 ? 'page' : 'ink');
        if (value === undefined) pen.fillStyle = colour('ink');
        pen.textAlign = 'left';
        pen.fillText(clean(group.label).slice(0, 40), x + 8, y + 17);
        pen.fillText(value === undefined ? 'not known' : textOf(value), x + 8, y + 37);
        pen.restore();
      });
    },
    at(x, y) {
      const each = Math.min(chart.canvas.clientWidth / across, 2 * widest);
      const column = Math.floor(x / each);
      const i = Math.floor(y / tile) * across + column;
      return column < across && groups[i] ? describe(groups[i]) : '';
    },
    keys: {
      ArrowLeft: () => move(-1), ArrowRight: () => move(1), ArrowUp: () => move(-across),
      ArrowDown: () => move(across),
    },
  });
  function acrossOf() {
    return Math.max(1, Math.floor(chart.canvas.clientWidth / widest));
  }
  function describe(group) {
    const figures = Object.values(groupFigures).map(([words, valueOf, textOf]) => {
      const value = valueOf(group);
      return `${words} ${value === undefined ? 'not known' : textOf(value)}`;
    });
    return `${clean(group.label)}, ranks ${clean(group.members)}: ${group.count} operations; ` +
      figures.join(', ');
  }
  function move(by) {
    at = Math.min(Math.max(at + by, 0), groups.length - 1);
    chart.draw();
    chart.show(describe(groups[at]));
  }
  const choices = Object.fromEntries(Object.entries(groupFigures).map(([name, [words]]) => [name, words]));
  makeSwitch(tools, choices, what, name => {
    what = name;
    showScale();
    chart.draw();
  });
  const scale = make('p', 'note scale');
  view.append(scale);
  showScale();
  function showScale() {
    const sizes = {};
    const [, valueOf] = groupFigures[what];
    for (const group of groups) (sizes[group.size] = sizes[group.size] || []).push(valueOf(group) || 0);
    const isCut = Object.values(sizes).some(values => Math.max(...values) > axisEnd(values));
    scale.textContent = 'Darkest colour: the largest mean among groups of the same size' +
      (isCut ? ', cut at the 95th percentile.' : '.');
  }
  if (data.groups.left_out > 0) {
    view.append(make('p', 'note', `${data.groups.left_out} more groups are not shown here.`));
  }
}
