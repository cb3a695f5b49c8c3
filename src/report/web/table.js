// table.js - tables of numbers that can be sorted by a column, searched, and saved as CSV. Without the script they are plain tables.

const cellText = cell => cell.textContent.trim();

/* Numbers by value, the rest by text; cells without a value come last. */
function compareCells(a, b) {
  const x = parseFloat(a.replace(/,/g, '').replace('\u2212', '-')), y = parseFloat(b.replace(/,/g, '').replace('\u2212', '-'));
  if (a === '' || b === '') return (a === '') - (b === '');
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
}

function sortRows(table, column, head) {
  const falling = head.getAttribute('aria-sort') !== 'descending', sign = falling ? -1 : 1;
  const rows = [...table.tBodies[0].rows].map(row => [cellText(row.cells[column]), row]);
  rows.sort(([a], [b]) => (a === '' || b === '' ? 1 : sign) * compareCells(a, b));
  table.tBodies[0].append(...rows.map(([, row]) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
}

function tableCsv(table) {
  const shown = [table.tHead.rows[0], ...[...table.tBodies[0].rows].filter(row => !row.hidden)];
  return shown.map(row => [...row.cells].map(cell => csvCell(cellText(cell))).join(',')).join('\n') + '\n';
}

function offerTables() {
  for (const table of document.querySelectorAll('table.sortable')) {
    const find = element('input', {type: 'search', placeholder: 'search', 'aria-label': 'search in the table'});
    find.addEventListener('input', () => {
      const wanted = find.value.toLowerCase();
      for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    const name = `${document.title}-${table.dataset.name}.csv`;
    table.parentNode.before(element('div', {class: 'tools'}, find,
      button('CSV', 'save the rows that are shown as CSV', () => save(name, new Blob([tableCsv(table)], {type: 'text/csv'})))));
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.tabIndex = 0;
      head.title = 'sort by this column';
      head.addEventListener('click', () => sortRows(table, column, head));
      head.addEventListener('keydown', event => { if (event.key === 'Enter') sortRows(table, column, head); });
    });
  }
}

/* A table that is wider than the screen becomes a list: a block for each row, its cells with the names of their columns. */
function fitTables() {
  const tables = [...document.querySelectorAll('.scroll > table.numbers:not(.sortable)')].filter(table => table.tHead);
  const fit = table => {
    table.classList.remove('stacked');
    table.classList.toggle('stacked', table.scrollWidth > table.parentNode.clientWidth + 1);
  };
  for (const table of tables) {
    const names = [...table.tHead.rows[table.tHead.rows.length - 1].cells].map(cellText);
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, i) => { cell.dataset.column = names[i] || ''; });
    fit(table);
    for (let outer = table.closest('details'); outer; outer = outer.parentNode.closest('details'))
      outer.addEventListener('toggle', () => fit(table));
  }
  addEventListener('resize', () => tables.forEach(fit));
}
