import { entryOf, storedRuleSchema } from '../shared/rules/rule.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { storesIn } from '../shared/store/stores.ts';
import { joinEmulatedTable } from '../test/fixtures/dynamodb.ts';

// A new process that loads deployed rules once, and prints what that took.
const [socketPath = '', what, ...ids] = process.argv.slice(2);
const table = joinEmulatedTable(socketPath, systemClock);
const { rules: store } = storesIn(table, { info() {}, warn() {}, error() {} });
// The connection, and the code of its requests.
await store.findCurrent();
const megabytes = () => process.memoryUsage().rss / 1e6;
const [before, cpuBefore] = [megabytes(), process.cpuUsage()];
const loaded = await store.loadCurrent(what === 'ids' ? { ids: new Set(ids) } : undefined);
const rules = loaded?.rules ?? [];
let { user, system } = process.cpuUsage(cpuBefore);
if (what === 'parsed') {
  const entries = rules.map(entryOf);
  const cpu = process.cpuUsage();
  for (const entry of entries) storedRuleSchema.parse(entry);
  ({ user, system } = process.cpuUsage(cpu));
}
const figures = {
  rules: rules.length,
  cpuMs: Math.round((user + system) / 1000),
  moreMb: Math.round(megabytes() - before),
  processMb: Math.round(process.resourceUsage().maxRSS / 1024),
};
console.log(JSON.stringify(figures));
await table.close();
