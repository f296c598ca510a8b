import { doubtful } from '../../local/colour.ts';
import type { Project } from '../../shared/config/load-config.ts';
import { callShortageText } from '../../shared/messages/call-shortage-text.ts';
import { callShortages } from '../../shared/planning/call-shortage.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { wrapped } from '../terminal/wrapping.ts';

/** The service's default limit for each app. */
const CALLS_PER_HOUR = 500;

/** The calls that each app may use in an hour: `calls` of the stage, by default of the strictest one. */
export function allowedCallsPerHour(project: Project | undefined, stage?: string): number {
  const stages = project?.config.stages.filter(({ name }) => stage === undefined || name === stage) ?? [];
  return stages.length > 0 ? Math.min(...stages.map(({ calls }) => calls.perHour)) : CALLS_PER_HOUR;
}

/** Warns of apps whose rules need more calls than are allowed. */
export function shortageLines(rules: Rule[], now: number, callsPerHour: number): string[] {
  return callShortages(rules, { now, perHour: callsPerHour }).flatMap((shortage) =>
    wrapped(`${doubtful('warning')}: ${callShortageText(shortage)}`, 2),
  );
}
