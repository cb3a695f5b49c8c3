// bar.js - the switches that hold for all panels at once: solvers on and off, what is measured, against what, on which scale.

function chip(page, solver, refresh) {
  const title = 'switch on or off; with Shift: this one alone';
  const node = element('button', {type: 'button', class: 'chip', 'aria-pressed': 'true', title}, keyNode(solver),
    page.solvers[solver]);
  node.addEventListener('click', event => {
    if (event.shiftKey) page.solvers.forEach((_, s) => page.hidden[s === solver ? 'delete' : 'add'](s));
    else page.hidden[page.hidden.has(solver) ? 'delete' : 'add'](solver);
    refresh();
  });
  return node;
}

function chips(page) {
  const refresh = () => {
    nodes.forEach((node, solver) => node.setAttribute('aria-pressed', String(!page.hidden.has(solver))));
    page.draw();
  };
  const nodes = page.solvers.map((_, solver) => chip(page, solver, refresh));
  const all = button('all', 'show all solvers', () => { page.hidden.clear(); refresh(); });
  const none = button('none', 'hide all solvers', () => { page.solvers.forEach((_, s) => page.hidden.add(s)); refresh(); });
  return element('div', {class: 'chips', role: 'group', 'aria-label': 'solvers'}, ...nodes, all, none);
}

/* options: [[value, text]]. */
function choice(text, name, options, value, act) {
  const select = element('select', {name}, ...options.map(([key, shown]) => element('option', {value: key}, shown)));
  select.value = value;
  select.addEventListener('change', () => act(select.value));
  return element('label', {}, `${text} `, select);
}

function measureChoice(page, text, name, names, key) {
  const options = names.map(y => [y, KINDS[y].title.toLowerCase()]);
  return choice(text, name, options, page[key], value => { page[key] = value; page.load(); });
}

function fillBar(page, bar) {
  const choices = element('div', {class: 'choices'});
  if (page.measures.length > 1) choices.append(measureChoice(page, 'training', 'measure', page.measures, 'measure'));
  if (page.tests.length > 1) choices.append(measureChoice(page, 'testing', 'test', page.tests, 'test'));
  choices.append(
    choice('against', 'x', [['epoch', 'epochs'], ['seconds', 'seconds']], page.x, value => { page.x = value; page.load(); }),
    choice('horizontal axis', 'scale', [['linear', 'linear'], ['log', 'logarithmic']], 'linear',
      value => { page.logX = value === 'log'; page.load(); }));
  if (page.solvers.length > 1) bar.append(chips(page));
  bar.append(choices);
}
