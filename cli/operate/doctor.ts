import { Command } from 'commander';
import { bad, doubtful, good } from '../../local/colour.ts';
import { counted } from '../../local/terminal.ts';
import { createCloud } from '../../shared/aws/cloud.ts';
import { createStageParts } from '../../shared/aws/stage-parts.ts';
import { loadProject } from '../../shared/config/load-config.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { readRules } from '../options/read-rules.ts';
import { ofStage, type StageOptions } from '../options/stage-options.ts';
import { accessTo, stageNamed } from '../options/stages.ts';
import { examples } from '../terminal/arguments.ts';
import { wrapped } from '../terminal/wrapping.ts';
import { diagnose } from './diagnose.ts';
import type { Check } from './finding.ts';
import { stageFacts } from './stage-facts.ts';

interface Options extends StageOptions {
  json?: true;
}

/**
 * `deltawatch doctor`: checks a deployed stage from outside. `--json` prints `{at, stage, checks: Check[]}`. Exit code 1
 * if a check fails.
 */
export function doctorCommand(clock: Clock = systemClock): Command {
  return ofStage(new Command('doctor'))
    .description('Check a stage in AWS from outside: what is broken, and what to do')
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['doctor production', 'Does everything work?'],
        ['doctor production --json --profile ops', 'For a program'],
      ),
    )
    .action((stage: string, options: Options) => doctor(stage, options, clock));
}

async function doctor(name: string, options: Options, clock: Clock): Promise<void> {
  const project = options.project ?? (await loadProject(process.cwd()));
  const stage = stageNamed(project, name);
  const rules = await readRules(options.rules);
  const access = accessTo(stage, options);
  const sources = { access, cloud: createCloud(access), parts: createStageParts(access), clock };
  const facts = await stageFacts(stage, rules, sources);
  const checks = diagnose(facts);
  if (options.json)
    console.log(JSON.stringify({ at: new Date(facts.at).toISOString(), stage: name, checks }));
  else console.log(checksText(name, checks));
  if (checks.some(({ state }) => state === 'failed')) process.exitCode = 1;
}

const STYLES = { ok: good, note: doubtful, failed: bad };
const STATE_COLUMNS = 'failed'.length + 2;

function checksText(stage: string, checks: Check[]): string {
  const names = Math.max(...checks.map(({ name }) => name.length)) + 2;
  const lines = checks.flatMap(({ name, state, found, advice }) => {
    const [first = '', ...rest] = [...found.split('\n'), ...(advice === null ? [] : [advice])];
    const start = `${STYLES[state](state)}${' '.repeat(STATE_COLUMNS - state.length)}${name.padEnd(names)}`;
    const margin = ' '.repeat(STATE_COLUMNS + names);
    return [
      ...columns(start, margin, printable(first)),
      ...rest.flatMap((line) => columns(margin, margin, printable(line))),
    ];
  });
  const broken = checks.filter(({ state }) => state === 'failed').length;
  const summary = broken === 0 ? `${stage} works.` : `${counted(broken, 'check')} failed.`;
  return [...lines, '', summary].join('\n');
}

/** Text in a column of its own: `start` has the width of `margin`, apart from colours. */
function columns(start: string, margin: string, text: string): string[] {
  const [first = '', ...rest] = wrapped(`${margin}${text}`, 0);
  return [`${start}${first.slice(margin.length)}`, ...rest];
}
