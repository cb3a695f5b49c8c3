// network.js - graphs that can be moved and magnified: drag, the buttons, a double click, or the wheel with Ctrl. A small graph is
// the page's SVG, whose viewBox changes; a large one comes as data and is drawn on a canvas.

const NEAREST = 40; // the greatest magnification
const NAME_ROOM = 18000; // a name on a canvas for every so many square pixels

/* What is seen of a picture of wide x high: its corner, and how many times it is magnified. */
class Window {
  constructor(box, x, y, wide, high, draw) {
    Object.assign(this, {box, whole: {x, y, wide, high}, draw, held: null});
    this.reset();
    box.addEventListener('pointerdown', event => {
      if (this.zoom === 1 || event.target.closest('button')) return;
      this.held = {x: event.clientX, y: event.clientY};
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener('pointermove', event => {
      if (!this.held) return;
      const unit = this.unit();
      this.move((this.held.x - event.clientX) / unit, (this.held.y - event.clientY) / unit);
      this.held = {x: event.clientX, y: event.clientY};
    });
    for (const end of ['pointerup', 'pointercancel']) box.addEventListener(end, () => { this.held = null; });
    box.addEventListener('dblclick', event => this.magnify(2, event));
    box.addEventListener('wheel', event => {
      if (!event.ctrlKey) return; // the page scrolls
      event.preventDefault();
      this.magnify(Math.exp(-event.deltaY / 300), event);
    }, {passive: false});
    box.append(element('div', {class: 'zoom'}, button('+', 'magnify', () => this.magnify(1.6)),
      button('−', 'show more of the graph', () => this.magnify(1 / 1.6)), button('whole', 'show the whole graph', () => this.reset())));
  }

  /* Pixels of the screen to one unit of the picture. */
  unit() { return this.box.clientWidth / this.whole.wide * this.zoom; }

  reset() {
    Object.assign(this, {x: this.whole.x, y: this.whole.y, zoom: 1});
    this.move(0, 0);
  }

  move(dx, dy) {
    const {x, y, wide, high} = this.whole;
    this.x = Math.min(Math.max(this.x + dx, x), x + wide - wide / this.zoom);
    this.y = Math.min(Math.max(this.y + dy, y), y + high - high / this.zoom);
    this.box.classList.toggle('near', this.zoom > 1);
    this.draw(this);
  }

  /* Keeps what is under the pointer, or the middle, where it is. */
  magnify(factor, event) {
    const frame = this.box.getBoundingClientRect(), before = this.unit();
    const px = event ? event.clientX - frame.x : frame.width / 2, py = event ? event.clientY - frame.y : frame.height / 2;
    this.zoom = Math.min(NEAREST, Math.max(1, this.zoom * factor));
    const after = this.unit();
    this.move(px / before - px / after, py / before - py / after);
  }
}

function offerZoom(svg) {
  const {x, y, width, height} = svg.viewBox.baseVal, box = element('div', {class: 'network-view'});
  svg.parentNode.replaceChild(box, svg);
  box.append(svg);
  return new Window(box, x, y, width, height, window =>
    svg.setAttribute('viewBox', `${window.x} ${window.y} ${width / window.zoom} ${height / window.zoom}`));
}

/* A large graph on a canvas: node has x, y, radius and shade of each; edge both ends and the strength in hundredths. */
class Network {
  constructor(source) {
    this.data = JSON.parse(source.textContent);
    const {node, wide, high, margin, label} = this.data;
    this.count = node.length / 4;
    this.canvas = element('canvas', {role: 'img', 'aria-label': label});
    this.hover = element('div', {class: 'hover', hidden: ''});
    this.box = element('div', {class: 'network-view'}, this.canvas, this.hover);
    source.replaceWith(this.box);
    this.colours();
    this.byDegree = this.ranked();
    this.window = new Window(this.box, -margin, -margin, wide, high, window => this.draw(window));
    this.box.addEventListener('pointermove', event => this.point(event));
    this.box.addEventListener('pointerleave', () => { this.hover.hidden = true; });
    new ResizeObserver(() => this.draw(this.window)).observe(this.box);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { this.colours(); this.draw(this.window); });
  }

  colours() {
    const style = getComputedStyle(document.documentElement), of = name => style.getPropertyValue(`--${name}`).trim();
    this.look = {...coloursNow(), a: of('a'), b: of('b'), p: of('p'), n: of('n')};
  }

  /* Nodes by the importance of their names. */
  ranked() {
    const {node, coefficients} = this.data, weight = i => (coefficients ? Math.abs(node[4 * i + 3]) : node[4 * i + 2]);
    return Array.from({length: this.count}, (_, i) => i).sort((i, j) => weight(j) - weight(i));
  }

  draw(window) {
    if (!window) return; // the first call comes from its constructor
    const wide = this.box.clientWidth, unit = window.unit(), {node, edge, coefficients, high} = this.data, sharp = devicePixelRatio || 1;
    const height = wide / this.data.wide * high;
    this.canvas.width = wide * sharp;
    this.canvas.height = height * sharp;
    this.canvas.style.setProperty('height', `${height}px`);
    const pen = this.canvas.getContext('2d');
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    const x = i => (node[4 * i] - window.x) * unit, y = i => (node[4 * i + 1] - window.y) * unit;
    const outside = (u, v) => (u < 0 && v < 0) || (u > wide && v > wide);
    pen.lineWidth = 1;
    for (let e = 0; e < edge.length; e += 3) {
      const i = edge[e], j = edge[e + 1];
      if (outside(x(i), x(j)) || (y(i) < 0 && y(j) < 0) || (y(i) > height && y(j) > height)) continue;
      pen.strokeStyle = coefficients ? this.look.line : edge[e + 2] < 0 ? this.look.b : this.look.a;
      pen.globalAlpha = coefficients ? 1 : 0.1 + 0.5 * Math.abs(edge[e + 2]) / 100;
      pen.beginPath();
      pen.moveTo(x(i), y(i));
      pen.lineTo(x(j), y(j));
      pen.stroke();
    }
    for (let i = 0; i < this.count; i++) this.drawNode(pen, i, x(i), y(i), this.size(i, unit));
    this.drawNames(pen, x, y, wide, height, unit);
  }

  size(i, unit) { return Math.max(1.5, this.data.node[4 * i + 2] * Math.min(1, unit)); }

  drawNode(pen, i, x, y, size) {
    const shade = this.data.node[4 * i + 3];
    const fill = (colour, alpha) => { pen.globalAlpha = alpha; pen.fillStyle = colour; pen.beginPath(); pen.arc(x, y, size, 0, 7); pen.fill(); };
    if (!this.data.coefficients) return fill(this.look.series[shade], 1);
    fill(this.look.panel, 1);
    fill(shade < 0 ? this.look.n : this.look.p, Math.abs(shade));
    pen.globalAlpha = 1;
    pen.strokeStyle = this.look.faint;
    pen.stroke();
  }

  drawNames(pen, x, y, wide, height, unit) {
    const placed = [];
    pen.globalAlpha = 1;
    pen.fillStyle = this.look.text;
    pen.strokeStyle = this.look.ground; // a rim, so that names can be read over nodes
    pen.lineWidth = 3;
    pen.font = '12px system-ui, sans-serif';
    pen.textAlign = 'center';
    for (const i of this.byDegree) {
      if (placed.length >= wide * height / NAME_ROOM) break;
      const half = pen.measureText(this.data.name[i]).width / 2, at = {x: x(i), y: y(i) - this.size(i, unit) - 3, half};
      const hidden = at.x < half || at.x > wide - half || at.y < 12 || at.y > height || half > 120;
      if (hidden || placed.some(p => Math.abs(p.x - at.x) < p.half + half + 4 && Math.abs(p.y - at.y) < 14)) continue;
      placed.push(at);
      pen.strokeText(this.data.name[i], at.x, at.y);
      pen.fillText(this.data.name[i], at.x, at.y);
    }
  }

  /* The name of the node at the pointer. */
  point(event) {
    const frame = this.box.getBoundingClientRect(), unit = this.window.unit(), {node, name} = this.data;
    const px = event.clientX - frame.x, py = event.clientY - frame.y;
    let found = -1, near = Infinity;
    for (let i = 0; i < this.count; i++) {
      const away = Math.hypot((node[4 * i] - this.window.x) * unit - px, (node[4 * i + 1] - this.window.y) * unit - py);
      if (away < near && away < this.size(i, unit) + 4) { near = away; found = i; }
    }
    this.hover.hidden = found < 0;
    if (found < 0) return;
    this.hover.textContent = name[found];
    this.hover.style.setProperty('left', `${Math.min(px + 12, frame.width - 120)}px`);
    this.hover.style.setProperty('top', `${py + 12}px`);
  }
}

function offerNetworks() {
  document.querySelectorAll('svg.network').forEach(svg => { if (!svg.closest('.network-still')) offerZoom(svg); });
  document.querySelectorAll('.network-data').forEach(source => new Network(source));
}
