// path.js - a slider over lambda: the coefficients at that lambda, as bars with names or as stems in their order, what is known of
// it, and a line at it in the plots of the path. A click into such a plot moves the slider there.

const SLIDER = {width: 640, left: 200, right: 80, top: 30, row: 21, bars: 20, stems: 300};

/* The coefficients at point i that are not 0: which of the kept ones, and their values. */
function coefficientsAt(path, i) {
  const list = path.x[i], found = [];
  for (let k = 0; k < list.length; k += 2) found.push({at: list[k], value: list[k + 1]});
  return found;
}

const largestOf = list => list.reduce((most, c) => Math.max(most, Math.abs(c.value)), 0);

function coefficientName(path, at) {
  const output = path.at[at] % path.outputs;
  return path.outputs > 1 ? `${path.name[at]}, ${path.class[output]}` : path.name[at];
}

/* Rows for the bars: as many as any lambda needs. */
const barRows = path => Math.min(SLIDER.bars, Math.max(1, ...path.x.map(list => list.length / 2)));

const shortened = name => ([...name].length > 26 ? [...name].slice(0, 25).join('') + '…' : name);

const titled = (node, text) => { node.append(svgNode('title', {}, text)); return node; };

function drawBars(path, list, scale) {
  const shown = [...list].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, SLIDER.bars);
  const low = shown.some(c => c.value < 0) ? -scale : 0, high = shown.some(c => c.value > 0) || low === 0 ? scale : 0;
  const unit = (SLIDER.width - SLIDER.left - SLIDER.right) / (high - low), zero = SLIDER.left - low * unit;
  const bottom = SLIDER.top + SLIDER.row * barRows(path), nodes = [];
  for (const tick of ticks(low, high, false, 5)) {
    const x = zero + tick * unit;
    nodes.push(svgNode('line', {class: tick === 0 ? 'axis' : 'grid', x1: x, x2: x, y1: SLIDER.top, y2: bottom}),
      svgNode('text', {class: 'tick', 'text-anchor': 'middle', x, y: bottom + 16}, tickLabel(tick)));
  }
  shown.forEach((c, row) => {
    const y = SLIDER.top + SLIDER.row * row, end = zero + c.value * unit, name = coefficientName(path, c.at);
    nodes.push(titled(svgNode('rect', {class: c.value > 0 ? 'p' : 'n', x: Math.min(zero, end), y: y + 3, width: Math.abs(end - zero),
      height: SLIDER.row - 6}), `${name}: ${format(c.value)}`),
    titled(svgNode('text', {class: 'name', 'text-anchor': 'end', x: SLIDER.left - 8, y: y + 15}, shortened(name)), name),
    svgNode('text', {class: 'tick', x: Math.max(zero, end) + 5, y: y + 15}, format(c.value)));
  });
  return nodes;
}

function drawStems(path, list, scale) {
  const left = 70, wide = SLIDER.width - left, middle = SLIDER.top + SLIDER.stems / 2, unit = SLIDER.stems / 2 / scale, nodes = [];
  for (const tick of ticks(-scale, scale, false, 5)) {
    const y = middle - tick * unit;
    nodes.push(svgNode('line', {class: tick === 0 ? 'axis' : 'grid', x1: left, x2: SLIDER.width, y1: y, y2: y}),
      svgNode('text', {class: 'tick', 'text-anchor': 'end', x: left - 8, y: y + 4}, tickLabel(tick)));
  }
  const thick = Math.min(6, Math.max(1, 0.6 * wide / path.features));
  for (const c of list) {
    const feature = Math.floor(path.at[c.at] / path.outputs), x = left + wide * (feature + 0.5) / path.features, y = middle - c.value * unit;
    nodes.push(titled(svgNode('rect', {class: c.value > 0 ? 'p' : 'n', x: x - thick / 2, y: Math.min(y, middle), width: thick,
      height: Math.abs(y - middle)}), `${coefficientName(path, c.at)}: ${format(c.value)}`));
  }
  return nodes;
}

/* The line of a plot at lambda; its axis is in the attribute data-axis: low, high, from, to, top, bottom, kind. */
function moveCursor(svg, lambda) {
  const [low, high, from, to, top, bottom, kind] = svg.dataset.axis.split(' ').map((text, i) => (i < 6 ? Number(text) : text));
  const at = ((kind === 'log' ? Math.log10(lambda) : lambda) - low) / (high - low);
  const line = svg.querySelector('.cursor') || svg.appendChild(svgNode('line', {class: 'cursor'}));
  const x = from + at * (to - from);
  line.toggleAttribute('hidden', !(at >= -1e-9 && at <= 1 + 1e-9));
  for (const [name, value] of Object.entries({x1: x, x2: x, y1: top, y2: bottom})) line.setAttribute(name, value);
}

function lambdaAt(svg, event) {
  const [low, high, from, to, , , kind] = svg.dataset.axis.split(' ').map((text, i) => (i < 6 ? Number(text) : text));
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const value = low + (point.x - from) / (to - from) * (high - low);
  return kind === 'log' ? 10 ** value : value;
}

function describe(path, i) {
  const count = path.x[i].length / 2, loss = path.loss[i], parts = [`lambda ${format(path.lambda[i])}, number ${i + 1} of ${path.lambda.length}`];
  parts.push(`${count}${path.at.length === 300 ? ' of the 300 largest' : ''} coefficients are not 0`);
  if (path.explained[i] !== null) parts.push(`${format(100 * path.explained[i])} % of the loss explained`);
  if (loss !== null) parts.push(`loss on held-out rows ${format(loss)}${path.error[i] === null ? '' : ` ± ${format(path.error[i])}`}`);
  return parts.join('; ') + (i === path.chosen ? ' (the model)' : '');
}

function offerSlider() {
  const source = document.getElementById('path'), box = document.getElementById('slider');
  if (!source || !box) return;
  const path = JSON.parse(source.textContent), last = path.lambda.length - 1, plots = [...document.querySelectorAll('svg[data-axis]')];
  if (last < 1 || path.at.length === 0) return;
  const bars = path.named, height = bars ? SLIDER.top + SLIDER.row * barRows(path) + 24 : SLIDER.top + SLIDER.stems + 10;
  const svg = svgNode('svg', {class: 'plot', viewBox: `0 0 ${SLIDER.width} ${height}`, role: 'img', 'aria-label': 'coefficients at a lambda'});
  const range = element('input', {type: 'range', min: 0, max: last, step: 1, 'aria-label': 'lambda'});
  const text = element('output', {});
  const draw = () => {
    const i = last - Number(range.value), list = coefficientsAt(path, i);
    const scale = Math.max(largestOf(list), largestOf(coefficientsAt(path, path.chosen))) || 1;
    text.textContent = describe(path, i);
    range.setAttribute('aria-valuetext', `lambda ${format(path.lambda[i])}`);
    svg.replaceChildren(svgNode('text', {class: 'title', x: 8, y: 18}, `Coefficients at lambda ${format(path.lambda[i])}`),
      ...(bars ? drawBars : drawStems)(path, list, scale));
    plots.forEach(plot => moveCursor(plot, path.lambda[i]));
  };
  const nearest = lambda => path.lambda.reduce((best, value, i) =>
    (Math.abs(Math.log(value / lambda)) < Math.abs(Math.log(path.lambda[best] / lambda)) ? i : best), 0);
  range.addEventListener('input', draw);
  plots.forEach(plot => plot.addEventListener('click', event => { range.value = last - nearest(lambdaAt(plot, event)); draw(); }));
  range.value = last - path.chosen;
  box.append(svg, element('label', {class: 'slide'}, range, text));
  draw();
}
