import * as z from 'zod';
import { type AlertKey, type Answer, SNOOZES } from '../../shared/alerts/alert.ts';
import type { Actor } from '../../shared/alerts/audit.ts';
import { nameSchema, reasonSchema } from '../../shared/alerts/author.ts';
import { sinceOf } from '../../shared/alerts/open-alert.ts';
import { LABELS } from '../../shared/messages/answer-text.ts';
import { withMovement } from '../../shared/messages/movement-text.ts';
import { alertPath } from '../../shared/messages/page-paths.ts';
import { momentText } from '../../shared/messages/time-text.ts';
import { loadListed, loadStatus, openIn, unknownIn } from '../../shared/responding/alert-status.ts';
import { giveAnswer, type Outcome, outcomeText } from '../../shared/responding/give-answer.ts';
import { addSilence } from '../../shared/responding/silencing.ts';
import { ConfigError, isExplained } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { LONGEST_SILENCE_DAYS, silenceFormSchema } from '../../shared/silences/silence.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import { escapedMarkup, unescapedMarkup } from '../../shared/text/escaped.ts';
import { quoted } from '../../shared/text/quoted.ts';
import type { EndpointDeps } from './api/endpoint.ts';
import { titleOf } from './page/alert-parts.ts';
import { alertFilters } from './page/alerts-view.ts';
import { passing } from './page/filters.ts';

export type CommandDeps = EndpointDeps & { logger: Logger };

/** What Slack sends for a command: https://docs.slack.dev/interactivity/implementing-slash-commands. */
export const commandSchema = z.object({
  ...{ user_id: z.string(), user_name: z.string().optional(), text: z.string().default('') },
  ...{ trigger_id: z.string().min(1), response_url: z.string().default('') },
});

const LENGTHS = new Map<string, Answer>(Object.entries(SNOOZES));
const HELP = escapedMarkup(`\`/deltawatch list [words]\` shows open alerts, most severe first
\`/deltawatch ack <alert> [reason]\` stops reminders: you work on it
\`/deltawatch snooze <alert> <${[...LENGTHS.keys()].join('|')}> [reason]\` stops its messages for a time
\`/deltawatch silence <rule or app> <hours> [reason]\` stops all its messages
An alert is named by the id in the list, or by its rule.`);

/** What a person sees who wrote `/deltawatch` and a text. In Slack's markup: names must not become mentions or links. */
export async function answerCommand(
  { user_id, user_name, text, trigger_id }: z.output<typeof commandSchema>,
  deps: CommandDeps,
): Promise<string> {
  const [command, name = '', ...rest] = unescapedMarkup(text).split(/\s+/).filter(Boolean);
  const [length = '', ...others] = rest;
  const asked = (words: string[]): Asked => {
    const reason = reasonSchema.safeParse(words.join(' '));
    if (!reason.success) throw new ConfigError('the reason is too long');
    const by = nameSchema.safeParse(user_name).data ?? user_id;
    return { by, reason: reason.data, how: 'slack', once: contentHash(['slack', trigger_id]) };
  };
  try {
    if (command === 'list') return await list([name, ...rest].join(' '), deps);
    if (command === 'ack') return await answer('acknowledge', name, asked(rest), deps);
    if (command === 'snooze') return await answer(LENGTHS.get(length), name, asked(others), deps);
    if (command === 'silence') return await silence(name, length, asked(others), deps);
    return HELP;
  } catch (error) {
    if (error instanceof ConfigError) return `Nothing changed: ${escapedMarkup(error.message)}.`;
    deps.logger.error('a command of Slack failed', { error });
    const why = isExplained(error) ? error.message : 'the error is in the log of the respond function';
    return `The command failed: ${escapedMarkup(why)}. Check the current state before you try again.`;
  }
}

/** `once`: of the request, so that sending it twice counts once. */
type Asked = Actor & { once: string };

/** Alerts in a list. */
const MOST = 10;

async function list(words: string, deps: CommandDeps): Promise<string> {
  const status = await loadStatus(deps, deps.clock.now());
  const found = passing(openIn(status), { q: words || undefined }, alertFilters(status));
  const shown = await loadListed(found.slice(0, MOST), deps.alerts);
  const lines = shown.map(({ alert, rule }) => {
    const { state, flappingSinceAt, last, acknowledged } = alert;
    const title = quoted(titleOf(alert, rule));
    const moved = last && rule && !rule.members ? withMovement(title, { evaluation: last, rule }) : title;
    const isTaken = acknowledged ? `acknowledged by ${quoted(acknowledged.by)}` : 'not acknowledged';
    const facts = [rule?.severity ?? 'critical', flappingSinceAt === null ? state : 'flapping', isTaken];
    const said = `${facts.join(', ')}, since ${momentText(sinceOf(alert), rule?.zone ?? 'UTC')}`;
    return `\`${shortIdOf(alert)}\` ${link(deps, alertPath(alert), moved)}: ${escapedMarkup(said)}`;
  });
  const left = found.length - shown.length;
  const unknown = unknownIn(status);
  const none = words ? 'No open alert has these words.' : 'No open alerts.';
  const more = left > 0 && `+${left} more: ${link(deps, '/alerts', 'all alerts')}`;
  // A failure must not look like the absence of alerts.
  const gap = unknown > 0 && `${unknown} cannot be evaluated or read: ${link(deps, '/health', 'Health')}`;
  return [lines.join('\n') || none, more, gap].filter(Boolean).join('\n');
}

const shortIdOf = ({ ruleId, segment }: AlertKey) => contentHash([ruleId, segment]).slice(0, 8);

async function answer(answer: Answer | undefined, name: string, { once, ...who }: Asked, deps: CommandDeps) {
  if (!answer) throw new ConfigError(`write how long after the alert: ${[...LENGTHS.keys()].join(', ')}`);
  const found = openIn(await loadStatus(deps, deps.clock.now())).filter(
    ({ alert }) => alert.ruleId === name || (name.length >= 4 && shortIdOf(alert).startsWith(name)),
  );
  const [only] = found;
  if (!only) throw new ConfigError(`no open alert has the id or rule "${quoted(name)}"`);
  if (found.length > 1)
    throw new ConfigError(`${found.length} open alerts have "${quoted(name)}": use the id in the list`);
  const { alert: key, rule } = only;
  const given = { key, answer, firedWindowEndAt: undefined, link: null, form: `${once}/${answer}` };
  const result = resultText(answer, await giveAnswer(given, who, deps));
  return `${link(deps, alertPath(key), quoted(titleOf(key, rule)))}. ${result}`;
}

async function silence(name: string, hours: string, { once, ...who }: Asked, deps: CommandDeps) {
  const now = deps.clock.now();
  const { rules } = await loadStatus(deps, now);
  const key = rules.some(({ id }) => id === name) ? 'rule' : 'app';
  if (key === 'app' && !rules.some(({ app }) => app === name))
    throw new ConfigError(`there is no rule or app "${quoted(name)}"`);
  const form = silenceFormSchema.safeParse({ [key]: name, hours: hours.replace(/h$/, '') });
  if (!form.success)
    throw new ConfigError(`write a number of hours after "${name}", at most ${LONGEST_SILENCE_DAYS * 24}`);
  const { match, lengthMs } = form.data;
  const earlier = (await deps.silences.loadAll()).find(({ id }) => id === once);
  const asked = { id: once, match, untilAt: now + lengthMs };
  const { untilAt } = earlier ?? (await addSilence(asked, who, now, deps));
  const end = link(deps, '/silences', 'End it');
  return `The ${key} ${escapedMarkup(quoted(name))} sends no messages until ${momentText(untilAt, 'UTC')}. ${end}`;
}

/** In Slack's markup. */
export function resultText(answer: Answer, outcome: Outcome): string {
  const text = escapedMarkup(outcomeText(outcome, 'UTC'));
  return outcome.kind === 'answered' ? `${LABELS[answer]}: done. ${text}.` : `Nothing changed. ${text}.`;
}

const link = ({ publicUrl }: CommandDeps, path: string, label: string) =>
  `<${escapedMarkup(publicUrl + path)}|${escapedMarkup(label)}>`;
