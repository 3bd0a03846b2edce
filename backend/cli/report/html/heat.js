// A field of cells whose brightness tells a number, to zoom into.

// `field`: rows, columns, value(row, column), which may be NaN for nothing, isVague(row, column),
// marks (rows to point at), rowName(row), describe(row, column), columnNames (two texts below), and
// most(), the value of the darkest, and ramp (the colours). Optional: strong (a row whose name is
// always shown), total(row) with totalText and totalName, and spans: bars over rows, each with row,
// from and until in columns, isMissing, isOpen and words.
function makeHeat(view, tools, field) {
  const left = 74;
  const bottom = 24;
  let shown = { row: 0, rows: field.rows, column: 0, columns: field.columns };
  let at = null;
  let pressed = null;

  // Where rows have less room than this, the darkest of some is shown.
  const smallest = 3;
  const heightOf = () => Math.min(Math.max(shown.rows * (field.square ? 30 : 16), 90), 420);
  // Of pairs a field is about as wide as it is high.
  function rightOf() {
    if (!field.square) return field.total ? 124 : 16;
    const wide = heightOf() * 1.4 * shown.columns / shown.rows;
    return Math.max(8, chart.canvas.clientWidth - left - wide);
  }
  const together = () => Math.max(1, Math.ceil(shown.rows * smallest / heightOf()));

  const chart = makeChart(view, {
    label: field.label,
    height: () => heightOf() + bottom + 8,
    draw(pen, width, height) {
      const high = height - bottom - 8;
      const right = rightOf();
      const per = together();
      const lines = Math.ceil(shown.rows / per);
      const cellHeight = high / lines;
      const cellWidth = (width - left - right) / shown.columns;
      const most = field.most();
      const vague = fillOf(pen, 'unknown');
      pen.fillStyle = colour('empty');
      pen.fillRect(left, 8, width - left - right, high);
      for (let line = 0; line < lines; line += 1) {
        for (let i = 0; i < shown.columns; i += 1) {
          const cell = darkest(line, per, shown.column + i);
          if (Number.isNaN(cell.value) && !cell.vague) continue;
          const x = left + i * cellWidth;
          const y = 8 + line * cellHeight;
          if (!Number.isNaN(cell.value)) {
            pen.fillStyle = rampColour(most > 0 ? cell.value / most : 0, field.ramp);
            pen.fillRect(x, y, cellWidth + 0.4, cellHeight + 0.4);
          }
          if (!cell.vague) continue;
          pen.globalAlpha = 0.55;
          pen.fillStyle = vague;
          pen.fillRect(x, y, cellWidth, cellHeight);
          pen.globalAlpha = 1;
        }
      }
      for (const span of field.spans || []) drawSpan(pen, span, per, cellHeight, cellWidth, width);
      drawRows(pen, lines, per, cellHeight);
      if (field.total) drawTotals(pen, lines, per, cellHeight, width);
      if (at) {
        pen.strokeStyle = colour('ink');
        pen.lineWidth = 2;
        pen.strokeRect(left + (at.column - shown.column) * cellWidth,
          8 + Math.floor((at.row - shown.row) / per) * cellHeight,
          Math.max(cellWidth, 3), Math.max(cellHeight, 3));
        pen.lineWidth = 1;
      }
      pen.fillStyle = colour('soft');
      const names = field.columnNames(shown.column, shown.column + shown.columns);
      pen.textAlign = 'left';
      pen.fillText(names[0], left, height - 10);
      pen.textAlign = 'right';
      pen.fillText(names[1], width - right, height - 10);
      pen.textAlign = 'left';
      if (field.total) pen.fillText(field.totalName, width - right + 14, height - 10);
    },
    at(x, y) {
      const place = placeOf(x, y);
      return place ? field.describe(place.row, place.column) : '';
    },
    keys: {
      ArrowLeft: () => move(0, -1),
      ArrowRight: () => move(0, 1),
      ArrowUp: () => move(-1, 0),
      ArrowDown: () => move(1, 0),
      '+': () => zoom(0.5),
      '-': () => zoom(2),
      0: reset,
      Escape: reset,
    },
  });

  // A bar over a row, with an arrow beyond the end of the axis where it had not ended.
  function drawSpan(pen, span, per, cellHeight, cellWidth, width) {
    const line = Math.floor((span.row - shown.row) / per);
    if (span.row < shown.row || span.row >= shown.row + shown.rows) return;
    const end = width - rightOf();
    const xOf = column => left + (column - shown.column) * cellWidth;
    const from = Math.max(xOf(span.from), left);
    const until = Math.min(span.isOpen ? end : xOf(span.until), end);
    if (until <= from) return;
    const y = 8 + line * cellHeight;
    const high = Math.max(cellHeight - 1, 1);
    const tip = span.isOpen ? Math.min(9, high) : 0;
    pen.beginPath();
    pen.moveTo(from, y);
    pen.lineTo(until, y);
    pen.lineTo(until + tip, y + high / 2);
    pen.lineTo(until, y + high);
    pen.lineTo(from, y + high);
    pen.closePath();
    pen.fillStyle = colour(span.isMissing ? 'blame' : 'peers');
    pen.fill();
    if (high < 12 || pen.measureText(span.words).width > until - from - 12) return;
    pen.fillStyle = colour('page');
    pen.textAlign = 'left';
    pen.fillText(span.words, from + 8, y + high / 2);
  }

  function darkest(line, per, column) {
    const found = { value: NaN, vague: false, row: shown.row + line * per };
    const end = Math.min(shown.row + (line + 1) * per, shown.row + shown.rows);
    for (let row = shown.row + line * per; row < end; row += 1) {
      const value = field.value(row, column);
      found.vague = found.vague || field.isVague(row, column);
      if (Number.isNaN(value) || value <= found.value) continue;
      found.value = value;
      found.row = row;
    }
    return found;
  }

  function drawRows(pen, lines, per, cellHeight) {
    const every = Math.max(1, Math.ceil(14 / cellHeight));
    pen.textAlign = 'right';
    let marked = -20;
    for (let line = 0; line < lines; line += 1) {
      const first = shown.row + line * per;
      const y = 8 + (line + 0.5) * cellHeight;
      let mark = -1;
      for (let row = first; row < Math.min(first + per, shown.row + shown.rows); row += 1) {
        if (field.marks.has(row)) mark = row;
      }
      if (mark >= 0) {
        pen.fillStyle = colour('blame');
        pen.beginPath();
        pen.moveTo(left - 2, y);
        pen.lineTo(left - 9, y - 5);
        pen.lineTo(left - 9, y + 5);
        pen.fill();
        if (y - marked < 13) continue;
        pen.font = 'bold 12px system-ui, sans-serif';
        pen.fillText(field.rowName(mark), left - 12, y);
        pen.font = '12px system-ui, sans-serif';
        marked = y;
      } else if (field.strong >= first && field.strong < first + per) {
        pen.fillStyle = colour('ink');
        pen.fillText(field.rowName(field.strong), left - 12, y);
        marked = y;
      } else if (line % every === 0 && y - marked > 13 && !isMarkedNear(line, per, every)) {
        pen.fillStyle = colour('soft');
        pen.fillText(field.rowName(first), left - 12, y);
      }
    }
  }

  function isMarkedNear(line, per, every) {
    const first = shown.row + line * per;
    for (const row of [...field.marks, field.strong]) {
      if (row > first && row < first + per * every) return true;
    }
    return false;
  }

  // How much there is in each row.
  function drawTotals(pen, lines, per, cellHeight, width) {
    const totals = Array.from({ length: lines }, (_, line) => {
      let total = 0;
      const end = Math.min(shown.row + (line + 1) * per, shown.row + shown.rows);
      for (let row = shown.row + line * per; row < end; row += 1) {
        total = Math.max(total, field.total(row));
      }
      return total;
    });
    const most = Math.max(...totals);
    const right = rightOf();
    totals.forEach((total, line) => {
      if (most === 0) return;
      const long = (right - 90) * total / most;
      const y = 8 + line * cellHeight;
      pen.fillStyle = colour('peers');
      pen.fillRect(width - right + 14, y, long, Math.max(cellHeight - 1, 1));
      const isFirstMost = total === most && totals.indexOf(most) === line;
      if (!isFirstMost && cellHeight < 13) return;
      pen.fillStyle = colour(total === most ? 'ink' : 'soft');
      pen.textAlign = 'left';
      pen.fillText(field.totalText(total), width - right + 18 + long, y + cellHeight / 2);
    });
  }

  function placeOf(x, y) {
    const width = chart.canvas.clientWidth - left - rightOf();
    const per = together();
    const line = Math.floor((y - 8) / (heightOf() / Math.ceil(shown.rows / per)));
    const column = shown.column + Math.floor((x - left) / (width / shown.columns));
    const row = shown.row + line * per;
    const inside = x >= left && line >= 0 && row < shown.row + shown.rows &&
      column < shown.column + shown.columns;
    return inside ? { row: per > 1 ? darkest(line, per, column).row : row, column } : null;
  }

  function show(next) {
    const rows = Math.min(Math.max(Math.round(next.rows), 1), field.rows);
    const columns = Math.min(Math.max(Math.round(next.columns), 1), field.columns);
    shown = {
      rows,
      columns,
      row: Math.min(Math.max(Math.round(next.row), 0), field.rows - rows),
      column: Math.min(Math.max(Math.round(next.column), 0), field.columns - columns),
    };
    chart.canvas.dataset.shown = `${shown.row} ${shown.rows} ${shown.column} ${shown.columns}`;
    chart.draw();
  }

  function zoom(by) {
    const middle = at || { row: shown.row + shown.rows / 2, column: shown.column + shown.columns / 2 };
    const rows = shown.rows * by;
    const columns = shown.columns * by;
    show({ rows, columns, row: middle.row - rows / 2, column: middle.column - columns / 2 });
  }

  function reset() {
    at = null;
    show({ row: 0, rows: field.rows, column: 0, columns: field.columns });
  }

  function move(rows, columns) {
    const place = at || { row: shown.row, column: shown.column };
    at = {
      row: Math.min(Math.max(place.row + rows, 0), field.rows - 1),
      column: Math.min(Math.max(place.column + columns, 0), field.columns - 1),
    };
    if (at.row < shown.row) show({ ...shown, row: at.row });
    if (at.row >= shown.row + shown.rows) show({ ...shown, row: at.row - shown.rows + 1 });
    if (at.column < shown.column) show({ ...shown, column: at.column });
    if (at.column >= shown.column + shown.columns) {
      show({ ...shown, column: at.column - shown.columns + 1 });
    }
    chart.draw();
    chart.show(field.describe(at.row, at.column));
  }

  // What is dragged over is zoomed into.
  chart.canvas.addEventListener('pointerdown', event => { pressed = pointOf(event); });
  window.addEventListener('pointerup', event => {
    const from = pressed;
    pressed = null;
    if (!from) return;
    const to = pointOf(event);
    if (!to || (Math.abs(from.x - to.x) < 6 && Math.abs(from.y - to.y) < 6)) return;
    const rows = [from.place.row, to.place.row].sort((a, b) => a - b);
    const columns = [from.place.column, to.place.column].sort((a, b) => a - b);
    show({ row: rows[0], rows: rows[1] - rows[0] + 1, column: columns[0],
      columns: columns[1] - columns[0] + 1 });
  });
  function pointOf(event) {
    const box = chart.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const place = placeOf(x, y);
    return place && { x, y, place };
  }
  chart.canvas.addEventListener('dblclick', reset);

  makeButton(tools, 'zoom in', () => zoom(0.5));
  makeButton(tools, 'zoom out', () => zoom(2));
  makeButton(tools, 'all', reset);
  tools.append(make('span', '', 'or drag over a part; arrow keys, +, -, 0'));
  return chart;
}
