const BENCHMARKS = {
  pipeline: () => import('./pipeline.ts'),
  fleet: () => import('./fleet.ts'),
  rules: () => import('./rules.ts'),
  cost: () => import('./cost.ts'),
  incidents: () => import('./incidents.ts'),
  notify: () => import('./notify.ts'),
  'data-access': () => import('./data-access/run.ts'),
  engines: () => import('./engines.ts'),
  lake: () => import('./lake.ts'),
  fairness: () => import('./fairness.ts'),
  detection: () => import('./detection/run.ts'),
  import: () => import('./import.ts'),
  publish: () => import('./publish.ts'),
  'cold-start': () => import('./cold-start.ts'),
  evaluate: () => import('./evaluate.ts'),
  backtest: () => import('./backtest.ts'),
  start: () => import('./start.ts'),
  attribution: () => import('./attribution/run.ts'),
  'own-data': () => import('./own-data/run.ts'),
  calibration: () => import('./calibration/run.ts'),
  page: () => import('./page.ts'),
  'evaluate-command': () => import('./evaluate-command.ts'),
  strangers: () => import('./strangers/run.ts'),
};

const [name = '', ...options] = process.argv.slice(2);
const isBenchmark = (text: string): text is keyof typeof BENCHMARKS => Object.hasOwn(BENCHMARKS, text);
if (!isBenchmark(name)) {
  console.error(
    `usage: npm run bench -- NAME, with one of these names: ${Object.keys(BENCHMARKS).join(', ')}`,
  );
  process.exit(2);
}
const { run } = await BENCHMARKS[name]();
// The figures are always the last line of the output.
console.log(JSON.stringify(await run(options)));
