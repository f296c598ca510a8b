import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { parsed } from '../../functions/respond/api/endpoint.ts';
import { ENDPOINTS } from '../../functions/respond/api/endpoints.ts';
import { cursorOf } from '../../functions/respond/api/schemas.ts';
import { loadChart } from '../../functions/respond/pictures.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { InvalidRequestError } from '../../shared/runtime/errors.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { deployedOn, deployedRules, ruleCalled } from '../../workbench/find-rule.ts';
import { type InstallationOptions, requireRule, withInstallation } from '../options/installation.ts';
import type { FigureOptions } from '../options/project.ts';

export interface ToolOptions extends InstallationOptions, FigureOptions {
  rules: string;
}

/** `signal` aborts when the assistant no longer waits. */
export interface Call {
  options: ToolOptions;
  clock: Clock;
  signal: AbortSignal;
}

export interface Tool {
  name: string;
  description: string;
  input: z.ZodObject;
  run(asked: unknown, call: Call): Promise<object>;
}

/** Checks what was asked before `run`, which gets the parsed form. */
export function tool<Shape extends z.ZodRawShape>(
  [name, description]: readonly [name: string, description: string],
  shape: Shape,
  run: (asked: z.output<z.ZodObject<Shape>>, call: Call) => Promise<object>,
): Tool {
  const input = z.strictObject(shape);
  return { name, description, input, run: async (asked, call) => run(parsed(input, asked), call) };
}

const subject = {
  rule: z.string().describe('The id of the rule.'),
  segment: z.string().nullable().default(null).describe('null for a rule without segments.'),
};

/** About the alerts of the installation. */
export const ALERT_TOOLS: Tool[] = [
  reading('list_alerts', 'listAlerts'),
  reading('explain_alert', 'getAlert'),
  tool(
    ['read_series', 'The last values of a rule, with the range that was expected of each.'],
    { ...subject, windows: z.int().min(1).max(400).default(56) },
    ({ rule: id, segment, windows }, { options, clock }) =>
      withInstallation(options, clock, async ({ stores, description }) => {
        const rule = ruleCalled(id, await deployedRules(stores.rules), deployedOn({ description }));
        if (rule.members) throw new InvalidRequestError(`${id} watches rules: ${rule.members.ruleIds}`);
        const [alert] = await stores.alerts.load([{ ruleId: id, segment }]);
        const throughAt = alert?.last?.current.window.endAt ?? clock.now();
        const chart = await loadChart({ rule, segment, throughAt }, alert, stores);
        if (!chart) throw new InvalidRequestError(`no figures of ${id} are stored for this segment`);
        const { title, unit, isShare, notes, breached } = chart;
        const points = chart.points.slice(-windows).map(({ window, value, band }) => ({
          ...{ ...window, value, ...band },
          breached: breached.some(({ endAt }) => endAt === window.endAt),
        }));
        return { title, unit, isShare, points, notes };
      }),
  ),
];

/** An endpoint of the interface of alerts. Its links are paths of the page. */
function reading(name: string, endpointName: string): Tool {
  const endpoint = ENDPOINTS.find((each) => each.name === endpointName && each.method === 'get');
  if (!endpoint) throw new RangeError(`no endpoint ${endpointName} reads`);
  const { summary, query, path } = endpoint;
  const isOfOne = path.includes('{id}');
  return {
    ...{ name, description: summary, input: isOfOne ? query.extend(subject) : query },
    run: (asked, { options, clock }) =>
      withInstallation(options, clock, async (installation) => {
        const one = isOfOne ? parsed(z.looseObject(subject), asked) : undefined;
        const { rule, segment, ...others } = one ?? {};
        if (rule !== undefined) await requireRule(rule, installation);
        const { stores, table } = installation;
        const deps = { ...stores, used: usedLinksIn(table), publicUrl: '', newId: randomUUID, clock };
        const id = one ? cursorOf([one.rule, one.segment]) : '';
        const answer = endpoint.run({ query: one ? others : asked, body: {}, id, by: '', once: '' }, deps);
        return z.looseObject({}).parse(await answer);
      }),
  };
}
