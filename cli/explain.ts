import { join } from 'node:path';
import { Command } from 'commander';
import { explainRule } from '../local/explain/explain-rule.ts';
import type { Explanation } from '../local/explain/explanation.ts';
import type { Installation, Place } from '../local/installation.ts';
import { ruleCalled, rulesInForce } from '../local/rule-in-force.ts';
import { type Clock, type Millis, systemClock } from '../shared/runtime/clock.ts';
import { examples, instant } from './arguments.ts';
import { explanationLines } from './explain-text.ts';
import { type FigureOptions, openFigures, withFigureOptions } from './figures.ts';
import { ofInstallation, withInstallation } from './installation.ts';

interface Options extends Place, FigureOptions {
  segment?: string;
  at?: Millis;
  live?: true;
  json?: true;
}

/** `deltawatch explain`: why a rule says what it says; `--json` prints an `Explanation`, its times as ISO 8601 in UTC. */
export function explainCommand(clock: Clock = systemClock): Command {
  const explain = new Command('explain')
    .description('say why a rule says what it says: gates, baseline, readings, and whether it would again')
    .argument('<rule>', 'its id')
    .option('--segment <value>', 'one of its segments; all are listed without it')
    .option('--at <time>', 'the window that was due by then; the one judged last without it', instant)
    .option('--live', 'ask the service too what it says of the window today')
    .option('--json', 'print it as JSON');
  return ofInstallation(withFigureOptions(explain))
    .addHelpText(
      'after',
      examples(
        ['explain new-users', 'of what was judged last'],
        ['explain events-by-country --segment DE --at 2026-03-05T08:00Z', 'of one segment, that morning'],
        ['explain new-users --live', 'whether late data have changed it since'],
      ),
    )
    .action(async (ruleId: string, options: Options) => {
      const now = clock.now();
      await withInstallation(options, clock, async (installation) => {
        const explanation = await explained(ruleId, { options, installation, clock });
        if (options.json) console.log(JSON.stringify(explanation, withIsoTimes));
        else {
          const rule = ruleCalled(ruleId, await rulesInForce(installation.stores.rules));
          console.log(explanationLines(explanation, rule, now).join('\n'));
        }
      });
    });
}

async function explained(
  ruleId: string,
  { options, installation, clock }: { options: Options; installation: Installation; clock: Clock },
): Promise<Explanation> {
  const { segment, at, live, state, table, data } = options;
  const { stores } = installation;
  const now = clock.now();
  const request = { ruleId, segment, at, now };
  if (!live) return explainRule(request, stores);
  const ruleSet = await rulesInForce(stores.rules);
  const rules = [ruleCalled(ruleId, ruleSet)];
  const own =
    data ?? (table === undefined && options.service === undefined ? join(state, 'data') : undefined);
  const where = { ...options, ...(own !== undefined && { data: own }) };
  const figures = await openFigures(where, {
    ruleSet: { ...ruleSet, rules },
    from: at ?? now,
    to: now,
    clock,
  });
  try {
    return await explainRule({ ...request, sourceFor: figures.sourceFor }, stores);
  } finally {
    figures.close();
  }
}

/** Every field whose name ends in `At` holds a time. */
function withIsoTimes(name: string, value: unknown): unknown {
  return name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value;
}
