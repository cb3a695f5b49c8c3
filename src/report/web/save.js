// save.js - what can be taken away: a figure as SVG or PNG, its numbers as CSV. Everything is made here, nothing is asked for.

function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\w.-]+/g, '_');
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const svgText = svg => new XMLSerializer().serializeToString(svg);

function saveSvg(name, svg) {
  save(name + '.svg', new Blob([svgText(svg)], {type: 'image/svg+xml'}));
}

/* Twice as many pixels as the figure's size says: sharp on a slide. */
function pngOf(svg) {
  return new Promise((done, failed) => {
    const image = new Image();
    image.onerror = () => failed(new Error('the figure cannot be drawn as PNG'));
    image.onload = () => {
      const canvas = document.createElement('canvas');
      canvas.width = 2 * svg.getAttribute('width');
      canvas.height = 2 * svg.getAttribute('height');
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(done, 'image/png');
    };
    image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svgText(svg));
  });
}

function savePng(name, svg) {
  pngOf(svg).then(blob => save(name + '.png', blob));
}

function csvCell(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function csvOf(view) {
  const lines = [['solver', view.xLabel, view.yLabel, 'lowest', 'highest', 'repeats']];
  for (const curve of view.curves)
    for (const p of curve.points) lines.push([view.look(curve.solver).name, p.x, p.y, p.low, p.high, p.count]);
  return lines.map(line => line.map(csvCell).join(',')).join('\n') + '\n';
}

function saveCsv(name, view) {
  save(name + '.csv', new Blob([csvOf(view)], {type: 'text/csv'}));
}
