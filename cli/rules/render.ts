import { Command } from 'commander';
import { inFolder, ruleCalled } from '../../operations/find-rule.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import type { Window } from '../../shared/time/window.ts';
import { readRules } from '../options/read-rules.ts';
import { examples, instant, wholeNumberIn } from '../terminal/arguments.ts';
import { type RenderedRun, renderedText, renderRuns } from './rendered-runs.ts';

interface Options {
  rules: string;
  runs: number;
  after?: number;
  json?: true;
}

/** `deltawatch render`: the windows and baselines of the next runs. Reads no figures. */
export function renderCommand(): Command {
  return new Command('render')
    .description('Show the next runs of rules: the windows they evaluate, and their baselines')
    .argument('[rule...]', 'Rule ids; default: all rules')
    .option('--rules <dir>', 'Folder of the rule files', 'rules')
    .option('--runs <number>', 'Number of runs per rule', wholeNumberIn(1, 100), 5)
    .option('--after <time>', 'Show runs after this time; default: now', instant)
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['render new-users', 'The next five runs of a rule'],
        ['render new-users --after 2026-10-23', 'The same around a clock change'],
      ),
    )
    .action(async (ids: string[], options: Options) => {
      const { rules } = await readRules(options.rules);
      const after = options.after ?? systemClock.now();
      const rendered = rulesNamed(ids, rules, options.rules).map((rule) => ({
        rule,
        runs: renderRuns(rule, after, options.runs),
      }));
      if (options.json) console.log(JSON.stringify(rendered.map(documentOf), null, 2));
      else console.log(rendered.map(({ rule, runs }) => renderedText(rule, runs)).join('\n\n'));
    });
}

/** The rules with these ids; all rules without ids. Throws `InvalidRequestError` for an unknown id. */
function rulesNamed(ids: string[], rules: Rule[], dir: string): Rule[] {
  return ids.length === 0 ? rules : ids.map((id) => ruleCalled(id, { rules }, inFolder(dir)));
}

/**
 * `--json`: a list of `{rule, every, zone, window, settleMinutes, runs: [{at, windows: [{start, end, against:
 * [{start, end}]}]}]}`. Times are ISO 8601 in UTC, spans half-open. `against` is empty for a model.
 */
function documentOf({ rule, runs }: { rule: Rule; runs: RenderedRun[] }) {
  const { id, every, zone, window, settle } = rule;
  return {
    ...{ rule: id, every, zone, window, settleMinutes: settle },
    runs: runs.map(({ at, windows }) => ({
      at: iso(at),
      windows: windows.map((each) => ({ ...spanOf(each.window), against: each.against.map(spanOf) })),
    })),
  };
}

function spanOf({ startAt, endAt }: Window) {
  return { start: iso(startAt), end: iso(endAt) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
