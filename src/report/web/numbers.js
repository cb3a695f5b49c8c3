// numbers.js - numbers as people read them, round ticks, and values between measured points.

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function format(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

function power(exponent) {
  return '10' + (exponent < 0 ? '⁻' : '') + [...String(Math.abs(exponent))].map(digit => SUPERSCRIPT[digit]).join('');
}

function tickLabel(value) {
  const exponent = Math.round(Math.log10(Math.abs(value)));
  const pure = value > 0 && Math.abs(value / 10 ** exponent - 1) < 1e-9;
  if (pure && (exponent < -2 || exponent > 4)) return power(exponent);
  if (value !== 0 && Math.abs(value) < 1e-3) { // in full it would not fit beside the axis
    const below = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
    return `${Number((value / 10 ** below).toPrecision(4))}·${power(below)}`;
  }
  return String(Number(value.toPrecision(6)));
}

function logTicks(low, high, wanted) {
  const decades = Math.log10(high / low);
  const parts = decades > 3 ? [1] : decades > 0.8 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const step = Math.max(1, Math.ceil(decades / wanted));
  const found = [];
  for (let e = Math.floor(Math.log10(low) / step) * step; e <= Math.log10(high); e += step)
    for (const part of parts) found.push(part * 10 ** e);
  return found.filter(tick => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
}

function linearTicks(low, high, wanted) {
  const rough = (high - low) / wanted, unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * [1, 2, 5, 10].find(factor => rough <= factor * unit * (1 + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(k === 0 ? 0 : k * step);
  return found;
}

/* Round numbers in [low, high], about `wanted` of them. */
function ticks(low, high, log, wanted) {
  if (!(high > low) || !Number.isFinite(high - low)) return [];
  const found = log && low > 0 ? logTicks(low, high, wanted) : [];
  return found.length > 1 ? found : linearTicks(low, high, wanted);
}

/* Between two points, straight as it is drawn: on the logarithms where `log`. */
function between(a, b, x, log, key) {
  const part = b.x > a.x ? (x - a.x) / (b.x - a.x) : 0;
  if (log && a[key] > 0 && b[key] > 0) return a[key] * (b[key] / a[key]) ** part;
  return a[key] + part * (b[key] - a[key]);
}

/* The value at x of points in ascending x; NaN before the first and behind the last. */
function valueAt(points, x, log, key = 'y') {
  if (points.length === 0) return NaN;
  const slack = 1e-9 * (1 + Math.abs(x));
  if (x < points[0].x - slack || x > points[points.length - 1].x + slack) return NaN;
  let low = 0, high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle].x <= x) low = middle; else high = middle;
  }
  return between(points[low], points[high], Math.min(x, points[high].x), log, key);
}
