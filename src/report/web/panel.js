// panel.js - one set of axes on the screen: dygraphs owns axes, zoom and hovering, the curves are drawn here (bands, dashes,
// marks). dygraphs writes labels as markup, so it gets none: names are text nodes of ours, series are called s0, s1, ...

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function button(text, title, act) {
  const node = element('button', {type: 'button', title}, text);
  node.addEventListener('click', act);
  return node;
}

function keyNode(solver) {
  const svg = svgNode('svg', {class: 'key', viewBox: '0 0 24 8', 'aria-hidden': 'true'});
  const look = `c${solver % COLOURS} d${Math.floor(solver / COLOURS) % DASHES.length}`;
  svg.append(svgNode('line', {class: look, x1: 0, x2: 24, y1: 4, y2: 4}));
  return svg;
}

class Panel {
  /* page: main.js; group: the panels of one problem, which share their window of x; slot: which of them this is. */
  constructor(page, group, slot) {
    Object.assign(this, {page, group, slot, graph: null, range: null, log: null, kind: {}});
    this.name = element('b');
    this.scaleButton = button('', 'switch the vertical axis', () => { this.log = !this.log; this.range = null; this.draw(); });
    this.wholeButton = button('whole', 'undo the zoom (or double-click)', () => this.group.reset());
    this.canvas = element('div', {class: 'canvas', role: 'img'});
    this.axisName = element('div', {class: 'axis-name'});
    this.hover = element('div', {class: 'hover', hidden: ''});
    this.paper = element('div', {class: 'paper-figure'});
    this.box = element('figure', {class: 'chart'}, this.header(), this.canvas, this.axisName, this.hover, this.paper);
  }

  header() {
    return element('header', {}, this.name, this.wholeButton, this.scaleButton,
      button('SVG', 'save the figure as SVG', () => saveSvg(this.fileName(), this.figure())),
      button('PNG', 'save the figure as PNG', () => savePng(this.fileName(), this.figure())),
      button('CSV', 'save the numbers of these curves', () => saveCsv(this.fileName(), this.view())));
  }

  fileName() { return [this.group.problem.data, this.group.problem.task, this.kind.y].filter(Boolean).join('-'); }

  /* New axes: what is shown changed. */
  load(kind, curves) {
    if (this.kind.y !== kind.y) { this.log = kind.log === undefined ? wantsLog(curves) : kind.log; this.range = null; }
    Object.assign(this, {kind, curves});
    this.draw();
  }

  visible() { return this.curves.filter(curve => !this.page.hidden.has(curve.solver)); }

  view() {
    const problem = this.group.problem, of = [problem.data, problem.task].filter(Boolean).join(', ');
    const window = this.group.window || this.group.extent();
    return {title: of ? `${this.kind.title} (${of})` : this.kind.title, xLabel: this.page.xLabel(), yLabel: this.kind.title,
      curves: this.visible(), window, yRange: this.range || rangeOf(this.visible(), window, this.log, this.kind.rises),
      logX: this.page.logX, logY: this.log, look: solver => this.page.look(solver, this.page.paper)};
  }

  figure(size = SLIDE) { return paperFigure(this.view(), this.page.paper, size); }

  curveOf(solver) {
    return this.curves.find(curve => curve.solver === solver) || {solver, repeats: 0, points: [], strays: [], marks: []};
  }

  /* For dygraphs: a column for every solver, whether it has something to show or not, so that columns never change. */
  rows() {
    const all = this.curves.flatMap(curve => pointsOf(curve).map(p => p.x)).filter(x => !this.page.logX || x > 0);
    const xs = [...new Set(all)].sort((a, b) => a - b);
    const usable = p => !this.log || p.y > 0 ? p.y : null;
    const byX = this.page.solvers.map((_, s) => new Map(this.curveOf(s).points.map(p => [p.x, usable(p)])));
    return (xs.length > 0 ? xs : [1]).map(x => [x, ...byX.map(map => map.has(x) ? map.get(x) : null)]);
  }

  draw() {
    const view = this.view(), whole = !this.group.window && !this.range;
    this.name.textContent = this.kind.title;
    this.scaleButton.textContent = this.log ? 'log' : 'linear';
    this.wholeButton.hidden = whole;
    this.axisName.textContent = this.page.xLabel();
    this.canvas.setAttribute('aria-label', `${view.title} against ${view.xLabel}`);
    this.hover.hidden = true;
    if (this.graph) this.graph.updateOptions({...this.options(view), file: this.rows()});
    else this.graph = new Dygraph(this.canvas, this.rows(), this.options(view));
  }

  options(view) {
    const colours = this.page.screen;
    const ticker = (log, room) => (low, high, pixels) =>
      ticks(low, high, log, Math.max(2, pixels / room)).map(v => ({v, label: tickLabel(v)}));
    return {
      labels: ['x', ...this.page.solvers.map((_, s) => `s${s}`)],
      colors: this.page.solvers.map((_, s) => this.page.look(s, colours).colour),
      visibility: this.page.solvers.map((_, s) => !this.page.hidden.has(s)),
      plotter: event => this.drawCurve(event), underlayCallback: (context, area, graph) => this.drawBands(context, graph),
      connectSeparatedPoints: true, dateWindow: view.window.slice(), valueRange: view.yRange.slice(),
      logscale: view.logY, gridLineColor: colours.line, axisLineColor: colours.faint, strokeWidth: 2, highlightCircleSize: 3,
      highlightSeriesOpts: {strokeWidth: 3.5}, highlightSeriesBackgroundColor: colours.panel, highlightSeriesBackgroundAlpha: 0.6,
      axisLabelFontSize: 12, interactionModel: this.interaction(), rightGap: 16,
      axes: {
        x: {logscale: view.logX, ticker: ticker(view.logX, 70), axisLabelWidth: 32},
        y: {ticker: ticker(view.logY, 42), axisLabelWidth: 48},
      },
      zoomCallback: (low, high, ranges) => this.zoomed(low, high, ranges[0]),
      highlightCallback: (event, x, points, row, series) => this.showHover(event, x, series),
      unhighlightCallback: () => { this.hover.hidden = true; },
    };
  }

  /* Touching scrolls the page, as everywhere on it; a tap shows values. */
  interaction() {
    const {touchstart, touchmove, touchend, ...model} = Dygraph.defaultInteractionModel;
    return {...model, dblclick: () => this.group.reset()};
  }

  zoomed(low, high, range) {
    const window = this.group.window || this.group.extent();
    if (low === window[0] && high === window[1]) this.range = range;
    else this.group.window = [low, high];
    setTimeout(() => this.group.draw()); // not from within the graph's own drawing
  }

  /* Where a point is drawn; toDomXCoord knows nothing of a logarithmic x. */
  place(graph) {
    const area = graph.getArea();
    const x = scale(graph.xAxisRange(), area.x, area.x + area.w, this.page.logX);
    const y = scale(graph.yAxisRange(), area.y + area.h, area.y, this.log);
    return p => [x(p.x), y(p.y)];
  }

  usable(points) { return points.filter(p => (!this.log || p.y > 0) && (!this.page.logX || p.x > 0)); }

  drawBands(context, graph) {
    const place = this.place(graph);
    for (const curve of this.visible().filter(c => c.repeats > 1 && c.points.length > 1)) {
      const points = this.usable(curve.points), lower = p => this.log && !(p.low > 0) ? p.y : p.low;
      context.fillStyle = this.page.look(curve.solver, this.page.screen).colour;
      context.globalAlpha = 0.12;
      context.beginPath();
      for (const p of points) context.lineTo(...place({x: p.x, y: p.high}));
      for (const p of points.slice().reverse()) context.lineTo(...place({x: p.x, y: lower(p)}));
      context.fill();
      context.globalAlpha = 1;
    }
  }

  drawCurve(event) {
    const curve = this.curveOf(Number(event.setName.slice(1))), context = event.drawingContext, place = this.place(event.dygraph);
    const look = this.page.look(curve.solver, this.page.screen);
    context.save();
    context.strokeStyle = look.colour;
    context.lineJoin = 'round';
    const line = (points, dash, width) => {
      context.setLineDash(dash);
      context.lineWidth = width;
      context.beginPath();
      for (const p of points) context.lineTo(...place(p));
      context.stroke();
    };
    for (const stretch of stretches(this.usable(curve.points), curve.repeats))
      line(stretch.points, stretch.whole ? look.dash : FEWER, (stretch.whole ? 1 : 0.7) * event.strokeWidth);
    for (const stray of curve.strays) line(this.usable(stray), [], 0.5 * event.strokeWidth);
    context.setLineDash([]);
    context.lineWidth = 2;
    for (const mark of curve.marks) this.drawMark(context, event.plotArea, place(mark), mark.status);
    context.restore();
  }

  /* At the edge if the value is beyond it. */
  drawMark(context, area, [x, y], status) {
    const at = Math.max(area.y + 6, Math.min(area.y + area.h - 6, Number.isFinite(y) ? y : area.y));
    context.beginPath();
    if (status === 'time-out') context.rect(x - 4, at - 4, 8, 8);
    else for (const side of [-1, 1]) { context.moveTo(x - 4, at - 4 * side); context.lineTo(x + 4, at + 4 * side); }
    context.stroke();
  }

  showHover(event, x, series) {
    const log = LOGARITHMIC[this.kind.y];
    const values = this.visible().map(curve => ({curve, y: valueAt(curve.points, x, log)}))
      .filter(entry => Number.isFinite(entry.y));
    values.sort((a, b) => (this.kind.rises ? b.y - a.y : a.y - b.y));
    const table = element('table');
    for (const {curve, y} of values) table.append(this.hoverLine(curve, x, y, `s${curve.solver}` === series));
    this.hover.replaceChildren(element('div', {}, `${this.page.xLabel()}: ${format(x)}`), table);
    this.hover.hidden = values.length === 0;
    this.placeHover(event);
  }

  /* Right of the pointer, or left of it where the window ends; it may reach beyond its panel. */
  placeHover(event) {
    const box = this.box.getBoundingClientRect(), width = this.hover.offsetWidth, root = document.documentElement;
    const right = event.clientX + 18, left = event.clientX - 18 - width;
    const x = right + width < root.clientWidth ? right : Math.max(4, left);
    this.hover.style.left = `${x - box.left}px`;
    this.hover.style.top = `${Math.min(event.clientY - 20, root.clientHeight - this.hover.offsetHeight - 6) - box.top}px`;
  }

  hoverLine(curve, x, y, near) {
    const log = LOGARITHMIC[this.kind.y];
    const left = curve.points.reduce((best, p) => Math.abs(p.x - x) < Math.abs(best.x - x) ? p : best).count;
    const extra = curve.repeats === 1 ? '' : left < curve.repeats ? `${left} of ${curve.repeats} repeats` :
      `${format(valueAt(curve.points, x, log, 'low'))} to ${format(valueAt(curve.points, x, log, 'high'))}`;
    const name = element(near ? 'b' : 'span', {}, this.page.look(curve.solver, this.page.screen).name);
    return element('tr', {}, element('td', {}, keyNode(curve.solver), name), element('td', {class: 'r'}, format(y)),
      element('td', {class: 'part'}, extra));
  }
}
