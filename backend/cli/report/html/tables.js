// Tables that can be sorted by a column and searched.

// "1 234", "12.5 ms", "<0.3", "2.1-18.9 %", "64 KiB" begin with what they are sorted by.
function sortValue(text) {
  const digits = text.replace(/^[<>=]+/, '').replace(/(\d) (?=\d)/g, '$1');
  const number = parseFloat(digits);
  if (Number.isNaN(number)) return null;
  const unit = /\b([KMGTPE])iB/.exec(digits);
  return unit ? number * 1024 ** ('KMGTPE'.indexOf(unit[1]) + 1) : number;
}

function sortBy(table, column, descending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map(row => {
    const text = row.cells[column].textContent;
    return { row, text, number: sortValue(text) };
  });
  rows.sort((a, b) => {
    if ((a.number === null) !== (b.number === null)) return a.number === null ? 1 : -1;
    const order = a.number === null ? a.text.localeCompare(b.text) : a.number - b.number;
    return descending ? -order : order;
  });
  body.append(...rows.map(one => one.row));
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = make('button', '', cell.textContent);
    button.type = 'button';
    button.addEventListener('click', () => {
      const descending = cell.getAttribute('aria-sort') !== 'descending';
      [...table.tHead.rows[0].cells].forEach(other => other.removeAttribute('aria-sort'));
      cell.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      sortBy(table, column, descending);
    });
    cell.replaceChildren(button);
  });
}

function makeSearch(section) {
  const tools = section.querySelector('.tools');
  const label = make('label', '', 'Search ');
  const input = make('input');
  input.type = 'search';
  label.append(input);
  const found = make('span');
  tools.append(label, found);
  const rows = [...section.querySelectorAll('tbody tr')];
  const texts = rows.map(row => [...row.cells].map(cell => cell.textContent).join(' ').toLowerCase());
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
    let count = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every(word => texts[i].includes(word));
      if (!row.hidden) count += 1;
    });
    found.textContent = words.length > 0 ? `${count} of ${rows.length} rows` : '';
  });
}
