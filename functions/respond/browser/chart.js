// Draws charts that show values under the pointer and by keys, zoom, and turn into shares of a total.
/** @import { Series } from '../../../shared/messages/chart-series.ts' */

const HEIGHT = 300;
/** The value of a CSS variable, again for each drawing. @param {string} name */
const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name);
/** @param {string} tag @param {object} fields */
const element = (tag, fields) => Object.assign(document.createElement(tag), fields);
/** @param {number} share */
const percent = (share) => `${(100 * share).toLocaleString('en-US', { maximumSignificantDigits: 3 })}%`;
/** The share of a total; `null` if it is unknown. @param {number | null | undefined} value @param {number | null | undefined} total */
const shareOf = (value, total) => (total && value != null ? value / total : null);

/** The values between two gaps, which no line shows. @param {uPlot} plot @param {number} at */
const alone = ({ data }, at) =>
  [...(data[at] ?? [])].flatMap((value, i, all) =>
    value != null && all[i - 1] == null && all[i + 1] == null ? i : [],
  );

/** The columns of uPlot. What was expected is drawn of a single series. @param {Series} shown @param {boolean} ofTotal */
function columnsOf({ windows, series, total, modelled }, ofTotal) {
  const hasRange = series.length === 1 && !ofTotal;
  /** @type {uPlot.AlignedData} */
  const data = [windows.map(({ start }) => Date.parse(start) / 1000)];
  /** @type {uPlot.Series[]} */
  const looks = [{}];
  /** @param {(number | null)[]} column @param {uPlot.Series} look */
  const add = (column, look) => looks.push(look) && data.push(column);
  for (const [k, { values, expected, low, high, breached }] of series.entries()) {
    const column = ofTotal ? values.map((value, i) => shareOf(value, total?.[i])) : values;
    const [most, limit] = [column, [...low, ...high]].map((each) =>
      Math.max(...each.map((value) => value ?? 0)),
    );
    // A limit far above the values would make them look flat.
    const auto = (limit ?? 0) <= 2.5 * (most ?? 0);
    const look = { auto, width: 1, stroke: colour(modelled ? '--accent' : '--bad'), points: { show: false } };
    if (hasRange) {
      add(high, look);
      add(low, look);
      add(expected, { ...look, auto: true, stroke: colour('--quiet'), dash: [4, 3] });
    }
    const stroke = colour(`--line-${k}`);
    add(column, { width: 2, stroke, points: { filter: alone, fill: stroke } });
    const points = { show: true, size: 9, fill: colour('--bad'), stroke: colour('--surface') };
    const breaches = column.map((value, i) => (breached[i] ? value : null));
    add(breaches, { paths: () => null, points });
  }
  return { data, looks, hasRange };
}

/** Starts of windows, at least `step` seconds apart. @type {Exclude<uPlot.Axis.Splits, number[]>} */
const startsIn = ({ data: [xs] }, _axis, least, most, step) => {
  const each = Math.ceil(step / ((xs[1] ?? 0) - (xs[0] ?? 0)));
  return [...xs].filter((x, i) => x >= least && x <= most && (xs.length - 1 - i) % Math.max(1, each) === 0);
};

/** The notes as numbered lines. @param {Series} shown */
const notesOf =
  ({ notes }) =>
  (/** @type {uPlot} */ { ctx, bbox, valToPos }) => {
    const text = colour('--text')();
    Object.assign(ctx, { strokeStyle: text, fillStyle: text, textAlign: 'center' });
    for (const [i, { at }] of notes.entries()) {
      const x = valToPos(Date.parse(at) / 1000, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.setLineDash([2, 3]);
      ctx.strokeRect(x, bbox.top, 0, bbox.height);
      ctx.setLineDash([]);
      ctx.fillText(String(i + 1), x, bbox.top - 4);
    }
  };

/** @param {Element} figure @param {Series} shown */
function start(figure, shown) {
  const { windows, series, total, zone, share, modelled } = shown;
  const plot = element('div', { className: 'plot', tabIndex: 0, role: 'application' });
  const reading = element('div', { className: 'reading', ariaLive: 'polite' });
  const key = element('p', { className: 'quiet' });
  plot.setAttribute('aria-describedby', 'chart-words');
  plot.ariaLabel = 'Chart. Arrow keys move through the windows; Escape zooms out.';
  figure.prepend(plot, reading, key);
  figure.classList.add('live');
  /** @type {HTMLInputElement | null} */
  const ofTotal = document.querySelector('#chart-form [name=share]');
  if (ofTotal?.parentElement) ofTotal.parentElement.hidden = total === null;
  const isPart = () => total !== null && Boolean(ofTotal?.checked);

  /** Shows a window as text, by default the last one. @param {number | null} [at] */
  function read(at) {
    const i = at ?? windows.length - 1;
    const { start = '', end = '', text = '' } = windows[i] ?? {};
    const lines = series.map(({ segment, values, texts, breached }, k) => {
      const name = segment === null ? '' : `${segment || '(none)'}: `;
      const part = isPart() ? shareOf(values[i], total?.[i]) : null;
      const said =
        part === null ? texts[i] : `${percent(part)} of the total${breached[i] ? ', breached' : ''}`;
      return element('span', { style: `--swatch: var(--line-${k})`, textContent: name + said });
    });
    const about = shown.notes.filter((note) => note.at >= start && note.at < end);
    const notes = about.map((note) => element('em', { textContent: `Note: ${note.text}` }));
    reading.replaceChildren(element('strong', { textContent: text }), ...lines, ...notes);
  }

  function draw() {
    const { data, looks, hasRange } = columnsOf(shown, isPart());
    const [isShare, whole] = [share || isPart(), `0,${windows.length - 1}`];
    const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: zone });
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: zone });
    const axis = { stroke: colour('--quiet'), ticks: { show: false } };
    /** @type {uPlot.Options} */
    const options = {
      ...{ width: plot.clientWidth, height: HEIGHT, padding: [18, 28, 0, 0], legend: { show: false } },
      ...{ series: looks, bands: hasRange && modelled ? [{ series: [1, 2], fill: colour('--range') }] : [] },
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
      // From 0, unless the lines would look flat.
      scales: {
        y: { range: (_, least, most) => [least < 0 || least > 0.75 * most ? least : 0, 1.04 * most || 1] },
      },
      axes: [
        {
          ...{ ...axis, grid: { show: false }, space: 70 },
          ...(shown.window !== 'hour' && { splits: startsIn }),
          values: (_, ticks, _axis, _space, step) =>
            ticks.map((at) => (step < 86_400 && shown.window === 'hour' ? time : day).format(at * 1000)),
        },
        {
          ...{ ...axis, grid: { stroke: colour('--line'), width: 1 }, size: 60 },
          values: (_, ticks) => ticks.map((tick) => (isShare ? percent(tick) : tick.toLocaleString('en-US'))),
        },
      ],
      cursor: { y: false, drag: { x: true, y: false } },
      hooks: {
        draw: [notesOf(shown)],
        setCursor: [({ cursor }) => read(cursor.idx)],
        setScale: [({ series: [x] }) => plot.toggleAttribute('data-busy', x?.idxs?.join() !== whole)],
      },
    };
    const limits = `Dashed: expected. ${modelled ? 'Band: expected range' : 'Red line: where the rule fires'}. `;
    key.textContent = `${hasRange ? limits : ''}Dots: breached. Drag to zoom in, double-click to zoom out.`;
    read();
    return new uPlot(options, data, plot);
  }

  let drawn = draw();
  plot.addEventListener('keydown', (event) => {
    const [xs] = drawn.data;
    const [first, last] = drawn.series[0]?.idxs ?? [0, 0];
    const at = drawn.cursor.idx ?? last + 1;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: first, End: last }[event.key];
    if (event.key === 'Escape') drawn.setData(drawn.data);
    if (next === undefined) return;
    event.preventDefault();
    drawn.setCursor({ left: drawn.valToPos(xs[Math.min(last, Math.max(first, next))] ?? 0, 'x'), top: 0 });
  });
  ofTotal?.addEventListener('change', () => {
    drawn.destroy();
    drawn = draw();
  });
  new ResizeObserver(() => drawn.setSize({ width: plot.clientWidth, height: HEIGHT })).observe(plot);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawn.redraw());
}

/** Without an answer, the pictures stay. */
async function startAll() {
  for (const figure of document.querySelectorAll('figure.chart:not(.live)')) {
    const { source, series } = /** @type {HTMLElement} */ (figure).dataset;
    const answer = source === undefined ? undefined : await fetch(source);
    if (answer?.ok !== false) start(figure, series ? JSON.parse(series) : await answer?.json());
  }
}
document.addEventListener('refreshed', startAll);
startAll();
