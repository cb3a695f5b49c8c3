// paper.js - a panel as an SVG figure of its own, for paper and slides: the same curves, ticks and window as on the screen, with
// a legend. Built of elements and text nodes, so that a name is shown and never obeyed.

const SLIDE = {width: 720, height: 440};
const PRINT = {width: 500, height: 330}; // half a page: text of the same size in a smaller figure
const PAPER = {left: 74, right: 20, top: 44, bottom: 52, line: 18};

function svgNode(name, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
}

function scale(range, from, to, log) {
  const of = log ? Math.log10 : Number;
  const [low, high] = range.map(of);
  return value => Math.max(-1e4, Math.min(1e4, from + (of(value) - low) / (high - low) * (to - from)));
}

const round = value => Math.round(value * 100) / 100;
const pathOf = points => points.map(([x, y], i) => `${i ? 'L' : 'M'}${round(x)} ${round(y)}`).join('');

function paperAxes(svg, view, x, y, area, colours) {
  const text = {fill: colours.faint, 'font-size': 12};
  for (const tick of ticks(view.yRange[0], view.yRange[1], view.logY, 6)) {
    svg.append(svgNode('line', {x1: area.left, x2: area.right, y1: round(y(tick)), y2: round(y(tick)), stroke: colours.line}));
    svg.append(svgNode('text', {...text, x: area.left - 8, y: round(y(tick)) + 4, 'text-anchor': 'end'}, tickLabel(tick)));
  }
  for (const tick of ticks(view.window[0], view.window[1], view.logX, (area.right - area.left) / 80)) {
    svg.append(svgNode('line', {x1: round(x(tick)), x2: round(x(tick)), y1: area.top, y2: area.bottom, stroke: colours.line}));
    svg.append(svgNode('text', {...text, x: round(x(tick)), y: area.bottom + 18, 'text-anchor': 'middle'}, tickLabel(tick)));
  }
  svg.append(svgNode('line', {x1: area.left, x2: area.right, y1: area.bottom, y2: area.bottom, stroke: colours.faint}));
  svg.append(svgNode('text', {...text, x: area.right, y: area.bottom + 38, 'text-anchor': 'end'}, view.xLabel));
}

function paperMark(group, mark, x, y, area, colour) {
  const cx = round(x(mark.x)), cy = round(Math.max(area.top + 5, Math.min(area.bottom - 5, y(mark.y))));
  const d = mark.status === 'time-out' ? `M${cx - 4} ${cy - 4}h8v8h-8z` : `M${cx - 4} ${cy - 4}l8 8M${cx - 4} ${cy + 4}l8 -8`;
  group.append(svgNode('path', {d, fill: 'none', stroke: colour, 'stroke-width': 2}));
}

function paperCurve(group, curve, view, x, y, area, look) {
  const points = curve.points.filter(p => !view.logY || p.y > 0);
  const lower = p => view.logY && !(p.low > 0) ? p.y : p.low;
  if (curve.repeats > 1 && points.length > 1) {
    const band = [...points.map(p => [x(p.x), y(p.high)]), ...points.slice().reverse().map(p => [x(p.x), y(lower(p))])];
    group.append(svgNode('path', {d: pathOf(band) + 'Z', fill: look.colour, 'fill-opacity': 0.12}));
  }
  for (const stretch of stretches(points, curve.repeats))
    group.append(svgNode('path', {d: pathOf(stretch.points.map(p => [x(p.x), y(p.y)])), fill: 'none', stroke: look.colour,
      'stroke-width': stretch.whole ? 2 : 1.4, 'stroke-dasharray': (stretch.whole ? look.dash : FEWER).join(' ') || 'none'}));
  for (const stray of curve.strays)
    group.append(svgNode('path', {d: pathOf(stray.filter(p => !view.logY || p.y > 0).map(p => [x(p.x), y(p.y)])), fill: 'none',
      stroke: look.colour, 'stroke-width': 1}));
  for (const mark of curve.marks) paperMark(group, mark, x, y, area, look.colour);
}

/* Rows of keys under the axes; returns their height. */
function paperLegend(svg, view, size, colours) {
  let left = PAPER.left, row = 0;
  for (const curve of view.curves) {
    const look = view.look(curve.solver), width = 48 + 7.2 * look.name.length;
    if (left > PAPER.left && left + width > size.width) { left = PAPER.left; row++; }
    const y = size.height + 4 + PAPER.line * row;
    svg.append(svgNode('line', {x1: left, x2: left + 24, y1: y, y2: y, stroke: look.colour, 'stroke-width': 2.5,
      'stroke-dasharray': look.dash.join(' ') || 'none'}));
    svg.append(svgNode('text', {x: left + 30, y: y + 4, 'font-size': 12, fill: colours.text}, look.name));
    left += width;
  }
  return PAPER.line * (row + 1);
}

let clips = 0; // every figure of a page needs a name of its own for its clipping area

/* view: {title, xLabel, curves, window, yRange, logX, logY, look(solver) -> {name, colour, dash}}. */
function paperFigure(view, colours, size) {
  const area = {left: PAPER.left, right: size.width - PAPER.right, top: PAPER.top, bottom: size.height - PAPER.bottom};
  const svg = svgNode('svg', {width: size.width, 'font-family': 'Helvetica, Arial, sans-serif',
    role: 'img', 'aria-label': view.title});
  const x = scale(view.window, area.left, area.right, view.logX), y = scale(view.yRange, area.bottom, area.top, view.logY);
  const clip = svgNode('clipPath', {id: `clip${++clips}`}), group = svgNode('g', {'clip-path': `url(#clip${clips})`});
  clip.append(svgNode('rect', {x: area.left, y: area.top, width: area.right - area.left, height: area.bottom - area.top}));
  const ground = svgNode('rect', {width: '100%', height: '100%', fill: colours.ground});
  svg.append(ground, clip, svgNode('text', {x: 12, y: 22, 'font-size': 15, 'font-weight': 600, fill: colours.text}, view.title));
  paperAxes(svg, view, x, y, area, colours);
  for (const curve of view.curves) paperCurve(group, curve, view, x, y, area, view.look(curve.solver));
  svg.append(group);
  const height = size.height + paperLegend(svg, view, size, colours);
  svg.setAttribute('viewBox', `0 0 ${size.width} ${height}`);
  svg.setAttribute('height', height);
  return svg;
}
