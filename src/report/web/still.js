// still.js - the figures that stand in the page as SVG: saved as they are, in the colours of paper, with the style sheet's
// part in them.

// What the style sheet may set, and what an element has without it.
const DRAWN = {fill: 'rgb(0, 0, 0)', 'fill-opacity': '1', stroke: 'none', 'stroke-width': '1px', 'stroke-dasharray': 'none',
  'stroke-opacity': '1', 'stroke-linecap': 'butt', 'stroke-linejoin': 'miter', opacity: '1',
  'font-size': '', 'font-weight': '400', 'font-family': ''};
const WRITTEN = ['font-size', 'font-weight', 'font-family']; // of texts only

function copyLook(from, to) {
  const style = getComputedStyle(from), text = from.localName === 'text';
  for (const [name, plain] of Object.entries(DRAWN)) {
    const value = style.getPropertyValue(name).replace('rgba(0, 0, 0, 0)', 'none'); // what not every program knows
    if (value !== plain && (text || !WRITTEN.includes(name))) to.setAttribute(name, value);
  }
  to.removeAttribute('class');
}

/* What `look` sees with the colours of paper, whatever those of the screen are. */
function onPaper(look) {
  const root = document.documentElement;
  root.classList.add('paper');
  const seen = look();
  root.classList.remove('paper');
  return seen;
}

function standalone(svg) {
  const copy = svg.cloneNode(true), box = svg.viewBox.baseVal, wide = Math.max(640, box.width);
  const parts = [...copy.querySelectorAll('*')];
  onPaper(() => [...svg.querySelectorAll('*')].forEach((node, i) => copyLook(node, parts[i])));
  copy.removeAttribute('class');
  copy.setAttribute('width', wide);
  copy.setAttribute('height', wide * box.height / box.width);
  copy.prepend(svgNode('rect', {x: box.x, y: box.y, width: box.width, height: box.height, fill: onPaper(coloursNow).ground}));
  return copy;
}

/* Two buttons under every figure. */
function offerStills() {
  for (const svg of document.querySelectorAll('svg[role=img]:not(.legend)')) {
    const name = `${document.title}-${svg.getAttribute('aria-label')}`;
    const frame = element('div', {class: 'still'});
    svg.replaceWith(frame);
    frame.append(svg, element('div', {class: 'save'},
      button('SVG', 'save the figure as SVG', () => saveSvg(name, standalone(svg))),
      button('PNG', 'save the figure as PNG', () => savePng(name, standalone(svg)))));
  }
}
