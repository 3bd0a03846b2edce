// How late each rank was if it was last: a box for each, named ranks and then the costliest first.

function makeLateness(view) {
  const late = data.pictures.lateness.filter(rank => rank.last > 0)
    .sort((a, b) => blamed.has(b.rank) - blamed.has(a.rank) || b.caused_ns - a.caused_ns);
  if (late.length === 0) {
    view.append(make('p', 'note', 'No operation has a known last rank.'));
    return;
  }
  const kShown = 24;
  const shown = late.slice(0, kShown);
  const left = 90;
  const right = 320;
  const largest = Math.max(...shown.map(rank => rank.max_ns));
  // Fewer values than these are dots: quartiles of them are the values themselves.
  const isFew = rank => rank.last < 5;
  // Beyond this, values of a box plot are outliers.
  const whisker = rank => (isFew(rank) ? rank.max_ns : 2.5 * rank.p75_ns - 1.5 * rank.p25_ns);
  const high = Math.max(...shown.map(whisker));
  const most = high > 0 && largest > 2 * high ? high : largest;
  const line = 20;
  // If clocks leave it open whether it was the last, its box is striped.
  const isCertain = rank => rank.last_certain >= rank.last / 2;
  makeKeys(view, {
    peers: 'how late a rank was',
    ...(shown.some(rank => blamed.has(rank.rank)) ? { blame: 'named by the verdict' } : {}),
    ...(shown.some(rank => !isCertain(rank)) ? { unknown: 'mostly uncertain whether it was last' } : {}),
  });
  const chart = makeChart(view, {
    label: 'How late ranks were',
    height: shown.length * line + 34,
    draw(pen, width, height) {
      const xOf = ns => left + (width - left - right) * ns / most;
      pen.textAlign = 'center';
      for (const tick of ticks(most, 6)) {
        pen.strokeStyle = colour('line');
        pen.beginPath();
        pen.moveTo(xOf(tick), 4);
        pen.lineTo(xOf(tick), height - 24);
        pen.stroke();
        pen.fillStyle = colour('soft');
        pen.fillText(timeText(tick), xOf(tick), height - 12);
      }
      shown.forEach((rank, i) => drawRank(pen, rank, 4 + i * line, xOf, width));
    },
    at(x, y) {
      const rank = shown[Math.floor((y - 4) / line)];
      return rank ? describe(rank) : '';
    },
    keys: { ArrowUp: () => move(-1), ArrowDown: () => move(1) },
  });
  let at = -1;
  function drawRank(pen, rank, y, xOf, width) {
    const middle = y + line / 2;
    const isBlamed = blamed.has(rank.rank);
    pen.fillStyle = pen.strokeStyle = colour(isBlamed ? 'blame' : 'peers');
    if (isFew(rank)) drawDots(pen, rank, middle, xOf);
    else drawBox(pen, rank, y, xOf);
    if (rank.max_ns > most) drawBeyond(pen, xOf(most) + 8, middle, false);
    pen.textAlign = 'right';
    pen.font = isBlamed ? 'bold 12px system-ui, sans-serif' : '12px system-ui, sans-serif';
    pen.fillStyle = colour(isBlamed ? 'blame' : 'ink');
    pen.fillText(`rank ${rank.rank}`, left - 8, middle);
    pen.textAlign = 'left';
    pen.fillText(`others waited ${timeText(rank.caused_ns)} (sum); last in ${percentText(rank.last / rank.arrivals)}`,
      width - right + 14, middle);
    pen.font = '12px system-ui, sans-serif';
  }
  function drawDots(pen, rank, middle, xOf) {
    for (const ns of [rank.p25_ns, rank.p50_ns, rank.p75_ns, rank.max_ns]) {
      drawMark(pen, 0, xOf(ns), middle, !isCertain(rank));
    }
  }
  function drawBox(pen, rank, y, xOf) {
    const middle = y + line / 2;
    pen.beginPath();
    pen.moveTo(xOf(0), middle);
    pen.lineTo(xOf(Math.min(rank.max_ns, most)), middle);
    pen.stroke();
    const box = [xOf(rank.p25_ns), y + 4, Math.max(xOf(rank.p75_ns) - xOf(rank.p25_ns), 3), line - 8];
    if (isCertain(rank)) {
      pen.fillRect(...box);
    } else {
      pen.fillStyle = fillOf(pen, 'unknown');
      pen.fillRect(...box);
      pen.strokeRect(...box);
    }
    pen.fillStyle = colour('ink');
    pen.fillRect(xOf(rank.p50_ns) - 1, y + 2, 3, line - 4);
  }
  function describe(rank) {
    return `rank ${rank.rank}: last in ${rank.last} of ${rank.arrivals} operations ` +
      `(${rank.last_certain} of them certain); later than the second-latest rank ` +
      `by ${timeText(rank.p25_ns)}, ${timeText(rank.p50_ns)}, ${timeText(rank.p75_ns)} (quartiles), ` +
      `at most ${timeText(rank.max_ns)}; others waited ${timeText(rank.caused_ns)} for it, summed over them`;
  }
  function move(by) {
    at = Math.min(Math.max(at + by, 0), shown.length - 1);
    chart.show(describe(shown[at]));
  }
  noteBeyond(view, most, shown.filter(rank => rank.max_ns > most)
    .map(rank => `rank ${rank.rank} ${timeText(rank.max_ns)}`), 'where the longest box plot ends');
  if (late.length > kShown) {
    view.append(make('p', 'note', `The ${kShown} ranks that others waited for most, of ${late.length}.`));
  }
}
