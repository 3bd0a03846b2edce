// Bus bandwidth by message size, on two logarithmic axes.

// Neither the orange of verdicts nor the violet of waiting.
const speedColours = {
  light: ['#2b6cb0', '#00795e', '#8a6d00', '#444c58', '#0b7f93', '#9c2f55'],
  dark: ['#5aa2e6', '#4cc9a6', '#e0c040', '#b8c0cc', '#5ad0e6', '#f08fb0'],
};

function drawMark(pen, shape, x, y, hollow) {
  pen.beginPath();
  if (shape % 3 === 0) pen.arc(x, y, 4, 0, 7);
  if (shape % 3 === 1) pen.rect(x - 4, y - 4, 8, 8);
  if (shape % 3 === 2) {
    pen.moveTo(x, y - 5);
    pen.lineTo(x + 5, y + 4);
    pen.lineTo(x - 5, y + 4);
    pen.closePath();
  }
  if (hollow) pen.stroke();
  else pen.fill();
}

// Of a power of ten.
function speedText(gbs) {
  const units = ['B/s', 'kB/s', 'MB/s', 'GB/s'];
  const thousands = Math.min(Math.max(Math.floor(Math.log10(gbs * 1e9) / 3 + 1e-9), 0), 3);
  return `${Number((gbs * 1e9 / 1000 ** thousands).toPrecision(1))} ${units[thousands]}`;
}

function makeSpeeds(view) {
  const speeds = data.pictures.speeds.filter(speed => speed.busbw_p50_gbs > 0);
  if (speeds.length === 0) {
    view.append(make('p', 'note', 'No operation has a bandwidth.'));
    return;
  }
  const ops = [...new Set(speeds.map(speed => speed.op))];
  const roof = Math.max(...speeds.map(speed => speed.busbw_p50_gbs));
  const sizes = speeds.map(speed => Math.log2(speed.bytes));
  const fromSize = Math.min(...sizes);
  const toSize = Math.max(...sizes, fromSize + 1);
  const least = Math.floor(Math.log10(Math.min(...speeds.map(s => s.busbw_p10_gbs || s.busbw_p50_gbs))));
  const most = Math.ceil(Math.log10(Math.max(...speeds.map(s => s.busbw_p90_gbs))) + 0.01);
  const left = 64;
  const bottom = 30;
  let at = -1;
  let xOf;
  let yOf;
  const chart = makeChart(view, {
    label: 'Bus bandwidth by message size',
    height: 300,
    draw(pen, width, height) {
      const high = height - bottom - 10;
      xOf = bytes => left + 20 + (width - left - 200) * (Math.log2(bytes) - fromSize) / (toSize - fromSize);
      yOf = gbs => 10 + high * (1 - (Math.log10(Math.max(gbs, 1e-12)) - least) / (most - least));
      const lines = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i));
      drawAxisY(pen, lines, yOf, speedText, left, width - 160);
      pen.fillStyle = colour('soft');
      pen.textAlign = 'center';
      const every = Math.max(1, Math.ceil((toSize - fromSize) / 8));
      for (let size = fromSize; size <= toSize; size += every) {
        pen.fillText(bytesText(2 ** size), xOf(2 ** size), height - 10);
      }
      pen.setLineDash([6, 4]);
      pen.strokeStyle = colour('ink');
      pen.beginPath();
      pen.moveTo(left, yOf(roof));
      pen.lineTo(width - 160, yOf(roof));
      pen.stroke();
      pen.setLineDash([]);
      ops.forEach((op, i) => drawOperation(pen, op, i));
      drawNames(pen, width);
      if (at < 0) return;
      pen.strokeStyle = colour('ink');
      pen.strokeRect(xOf(speeds[at].bytes) - 8, yOf(speeds[at].busbw_p50_gbs) - 8, 16, 16);
    },
    at(x, y) {
      const near = speeds.map(speed =>
        Math.hypot(xOf(speed.bytes) - x, yOf(speed.busbw_p50_gbs) - y));
      const nearest = near.indexOf(Math.min(...near));
      return near[nearest] < 20 ? describe(nearest) : '';
    },
    keys: { ArrowLeft: () => move(-1), ArrowRight: () => move(1) },
  });
  const colourOf = i => speedColours[isDark() ? 'dark' : 'light'][i % 6];
  function drawOperation(pen, op, i) {
    pen.fillStyle = pen.strokeStyle = colourOf(i);
    const own = speeds.filter(speed => speed.op === op);
    pen.beginPath();
    own.forEach(speed => pen.lineTo(xOf(speed.bytes), yOf(speed.busbw_p50_gbs)));
    pen.stroke();
    for (const speed of own) {
      const ends = [speed.busbw_p10_gbs, speed.busbw_p90_gbs];
      pen.beginPath();
      if (speed.count < 5) {
        const isHollow = speed.over !== 'transfer';
        for (const gbs of ends) drawMark(pen, i, xOf(speed.bytes), yOf(gbs), isHollow);
      } else {
        for (const gbs of ends) pen.lineTo(xOf(speed.bytes), yOf(gbs));
        pen.stroke();
      }
      drawMark(pen, i, xOf(speed.bytes), yOf(speed.busbw_p50_gbs), speed.over !== 'transfer');
    }
  }
  function drawNames(pen, width) {
    pen.textAlign = 'left';
    pen.fillStyle = colour('ink');
    pen.fillText(`best: ${threeDigits(roof)} GB/s`, width - 150, 18);
    ops.slice(0, 14).forEach((op, i) => {
      pen.fillStyle = pen.strokeStyle = colourOf(i);
      drawMark(pen, i, width - 145, 40 + i * 17, false);
      pen.fillStyle = colour('ink');
      pen.fillText(clean(op).slice(0, 22), width - 135, 40 + i * 17);
    });
  }
  function describe(i) {
    const speed = speeds[i];
    return `${clean(speed.op)}, ${bytesText(speed.bytes)} to ${bytesText(speed.bytes * 2)}: ` +
      `${speed.over === 'transfer' ? '' : 'at least '}${threeDigits(speed.busbw_p50_gbs)} GB/s ` +
      `(10th to 90th percentile ${threeDigits(speed.busbw_p10_gbs)} to ` +
      `${threeDigits(speed.busbw_p90_gbs)}), ${speed.count} operations`;
  }
  function move(by) {
    at = Math.min(Math.max(at + by, 0), speeds.length - 1);
    chart.draw();
    chart.show(describe(at));
  }
  if (speeds.some(speed => speed.over !== 'transfer')) {
    view.append(make('p', 'note',
      'Hollow marks: the transfer time is unknown, so the time from ready to end is used. The ' +
      'transfer was at least as fast.'));
  }
}
