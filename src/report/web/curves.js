// curves.js - from runs to curves: a solver's mean over its repeats at every x, the lowest and the highest of them, how many are
// left. A repeat that ended takes no part any more; where it did, and why, is kept as a mark. One that diverged takes no part at
// all, for it would be all that is left of the mean: it is a line of its own.

const MOST_X = 400;
const LOGARITHMIC = {suboptimality: true, gap: true};

/* What a run has of (x, y). A suboptimality below the certificate's own gap cannot be told from 0 and is put there. */
function runPoints(run, xName, yName, resolution) {
  const xs = run[xName] || [], ys = run[yName] || [], points = [];
  for (let i = 0; i < xs.length && i < ys.length; i++) {
    if (xs[i] === null || ys[i] === null) continue;
    const y = yName === 'suboptimality' ? Math.max(ys[i], resolution) : ys[i];
    points.push({x: xs[i], y});
  }
  return points;
}

/* All x of the repeats, in order, each once; thinned evenly if they are too many. */
function gridOf(lists) {
  const all = lists.flatMap(points => points.map(point => point.x)).sort((a, b) => a - b);
  const unique = all.filter((x, i) => i === 0 || x > all[i - 1] + 1e-9 * (1 + Math.abs(x)));
  if (unique.length <= MOST_X) return unique;
  const step = (unique.length - 1) / (MOST_X - 1);
  return Array.from({length: MOST_X}, (_, k) => unique[Math.round(k * step)]);
}

function spreadAt(lists, x, log) {
  const values = lists.map(points => valueAt(points, x, log)).filter(value => !Number.isNaN(value));
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  return {x, y: mean, low: Math.min(...values), high: Math.max(...values), count: values.length};
}

/* {solver, repeats, points, strays, marks} of one solver, or null if it has nothing to show. */
function curveOf(runs, solver, xName, yName, resolution) {
  const shown = runs.filter(run => run.solver === solver)
    .map(run => ({status: run.status, points: runPoints(run, xName, yName, resolution)})).filter(run => run.points.length > 0);
  if (shown.length === 0) return null;
  const steady = shown.filter(run => run.status !== 'diverged').map(run => run.points);
  const strays = shown.filter(run => run.status === 'diverged').map(run => run.points);
  const points = gridOf(steady).map(x => spreadAt(steady, x, LOGARITHMIC[yName])).filter(point => point.count > 0);
  const marks = shown.filter(run => run.status && run.status !== 'done')
    .map(run => ({status: run.status, ...run.points[run.points.length - 1]}));
  return {solver, repeats: shown.length, points, strays, marks};
}

function curvesOf(problem, solvers, xName, yName) {
  const resolution = problem.resolution > 0 ? problem.resolution : 1e-16;
  return solvers.map((_, s) => curveOf(problem.runs, s, xName, yName, resolution)).filter(curve => curve !== null);
}

/* Stretches of a curve over which all repeats are there, or not; neighbours share a point. */
function stretches(points, repeats) {
  const out = [];
  for (let i = 0; i < points.length; i++) {
    const whole = points[i].count === repeats, last = out[out.length - 1];
    if (last && last.whole === whole) {
      last.points.push(points[i]);
    } else {
      out.push({whole, points: last ? [points[i - 1], points[i]] : [points[i]]});
    }
  }
  return out;
}

/* Everything a curve has: its mean and the lines of its own. */
const pointsOf = curve => [...curve.points, ...curve.strays.flat()];

/* Logarithmic where the ends are so far apart that a linear axis would show one curve only. */
function wantsLog(curves) {
  const ends = curves.filter(curve => curve.points.length > 0).map(curve => curve.points[curve.points.length - 1].y);
  return ends.length > 1 && Math.min(...ends) > 0 && Math.max(...ends) > 15 * Math.min(...ends);
}

/* The range of y that shows every curve. One that grows beyond where it started leaves through the top: it would press all others
 * flat. `rises`: larger is where curves go, nothing is cut off. */
function rangeOf(curves, window, log, rises) {
  let low = Infinity, high = -Infinity, start = -Infinity;
  for (const curve of curves) {
    const seen = curve.points.filter(p => p.x >= window[0] && p.x <= window[1] && (!log || p.y > 0));
    for (const point of seen) {
      low = Math.min(low, log && !(point.low > 0) ? point.y : point.low);
      high = Math.max(high, point.high);
    }
    if (seen.length > 0) start = Math.max(start, Math.min(seen[0].y, 1e300));
    if (!rises && curve.strays.length > 0) high = Infinity; // it leaves through the top
  }
  if (!(low <= high) || !(start > low || high < Infinity)) return log ? [0.1, 1] : [0, 1];
  if (log) {
    if (!rises && start > low) high = Math.min(high, start * Math.min(10, (start / low) ** 0.2));
    const margin = high > low ? (high / low) ** 0.04 : 1.2;
    return [low / margin, high * margin];
  }
  if (!rises && start > low) high = Math.min(high, start + 0.3 * (start - low));
  const margin = high > low ? 0.04 * (high - low) : 0.1 * Math.abs(low) || 1;
  return [rises && low >= 0 && low - margin < 0 ? 0 : low - margin, high + margin];
}
