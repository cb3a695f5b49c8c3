// main.js - the page: what is chosen (solvers, measures, axes), the bar to choose with, a group of panels for every problem.

const COLOURS = 8;
const DASHES = [[], [7, 4], [2, 3]];
const FEWER = [1.5, 3.5]; // a mean over fewer repeats than there are
const KINDS = {
  suboptimality: {title: 'Relative suboptimality', log: true},
  objective: {title: 'Objective', log: false},
  gap: {title: 'Duality gap', log: true},
  test_loss: {title: 'Test loss', log: false},
  test_score: {title: 'Test score', log: false, rises: true},
  seconds: {title: 'Seconds', rises: true},
  epoch: {title: 'Epochs', rises: true},
};

/* The panels of a problem: one window of x for all of them. */
class Group {
  constructor(page, problem, box) {
    Object.assign(this, {page, problem, window: null});
    this.panels = [0, 1, 2].map(slot => new Panel(page, this, slot));
    box.replaceChildren(...this.panels.map(panel => panel.box));
  }

  extent() {
    const all = this.panels.flatMap(panel => panel.visible().flatMap(curve => pointsOf(curve).map(p => p.x)));
    const xs = all.filter(x => !this.page.logX || x > 0);
    const low = xs.reduce((a, b) => Math.min(a, b), Infinity), high = xs.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low <= high)) return [this.page.logX ? 0.1 : 0, 1];
    return low < high ? [low, high] : [low, 2 * low || 1];
  }

  load() {
    const kinds = this.page.kinds();
    this.panels.forEach((panel, slot) => {
      panel.curves = curvesOf(this.problem, this.page.solvers, this.page.x, kinds[slot].y);
    });
    this.panels.forEach((panel, slot) => {
      panel.box.hidden = panel.curves.length === 0;
      if (!panel.box.hidden) panel.load(kinds[slot], panel.curves);
    });
  }

  draw() { this.panels.filter(panel => !panel.box.hidden).forEach(panel => panel.draw()); }

  reset() {
    this.window = null;
    this.panels.forEach(panel => { panel.range = null; });
    this.draw();
  }
}

function coloursNow() {
  const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(`--${name}`).trim();
  return {text: of('text'), faint: of('faint'), line: of('line'), ground: of('ground'), panel: of('panel'),
    series: Array.from({length: COLOURS}, (_, i) => of(`c${i}`))};
}

class Page {
  constructor(data) {
    const has = name => data.problems.some(problem => problem.runs.some(run => run[name]));
    Object.assign(this, {solvers: data.solvers, hidden: new Set(), x: 'epoch', logX: false});
    this.measures = ['suboptimality', 'objective', 'gap'].filter(has);
    this.tests = ['test_loss', 'test_score'].filter(has);
    this.measure = this.measures[0] || 'objective';
    this.test = this.tests[0] || 'test_loss';
    this.readColours();
    this.groups = [...document.querySelectorAll('.panels')].map(box => new Group(this, data.problems[box.dataset.problem], box));
  }

  kinds() { return [this.measure, this.test, this.x === 'epoch' ? 'seconds' : 'epoch'].map(y => ({y, ...KINDS[y]})); }

  xLabel() { return this.x === 'epoch' ? 'epochs (passes over the data)' : 'seconds'; }

  look(solver, colours) {
    const dash = DASHES[Math.floor(solver / COLOURS) % DASHES.length];
    return {name: this.solvers[solver], colour: colours.series[solver % COLOURS], dash};
  }

  /* Those of the screen, light or dark, and those of paper, always light. */
  readColours() {
    this.screen = coloursNow();
    this.paper = onPaper(coloursNow);
  }

  load() { this.groups.forEach(group => { group.window = null; group.load(); }); }

  draw() { this.groups.forEach(group => group.draw()); }

  /* Canvases are pictures of the screen, maybe a dark one: paper gets figures of its own. */
  beforePrint() {
    const shown = this.groups.flatMap(group => group.panels).filter(panel => !panel.box.hidden);
    shown.forEach(panel => panel.paper.replaceChildren(panel.figure(PRINT)));
  }

  afterPrint() { this.groups.flatMap(group => group.panels).forEach(panel => panel.paper.replaceChildren()); }
}

function start() {
  const source = document.getElementById('race');
  offerSlider();
  offerStills();
  offerNetworks();
  offerTables();
  fitTables();
  if (!source) return; // a page without curves to play with carries no dygraphs
  // Its legend writes style attributes, which the security policy refuses; ours is the bar and the box beside the pointer.
  Dygraph.PLUGINS = Dygraph.PLUGINS.filter(plugin => plugin !== Dygraph.Plugins.Legend);
  const page = new Page(JSON.parse(source.textContent));
  document.querySelectorAll('.bar').forEach(bar => fillBar(page, bar));
  page.load();
  window.addEventListener('beforeprint', () => page.beforePrint());
  window.addEventListener('afterprint', () => page.afterPrint());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { page.readColours(); page.draw(); });
}
