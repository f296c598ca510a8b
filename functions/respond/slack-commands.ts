import { Hono } from 'hono';
import * as z from 'zod';
import { type AlertKey, type Answer, SNOOZES } from '../../shared/alerts/alert.ts';
import type { Actor } from '../../shared/alerts/audit.ts';
import { reasonSchema } from '../../shared/alerts/author.ts';
import { sinceOf } from '../../shared/alerts/open-alert.ts';
import { momentText } from '../../shared/messages/figure-text.ts';
import { withMovement } from '../../shared/messages/movement-text.ts';
import { alertPath } from '../../shared/messages/page-paths.ts';
import {
  failingRulesIn,
  isOpenOrFlapping,
  loadDeployed,
  loadListed,
  loadStatus,
  type Status,
  type StatusStores,
  unreadIn,
  watchedIn,
} from '../../shared/responding/alert-status.ts';
import { giveAnswer } from '../../shared/responding/give-answer.ts';
import { addSilence } from '../../shared/responding/silencing.ts';
import { ConfigError, isExplained } from '../../shared/runtime/errors.ts';
import { LONGEST_SILENCE_DAYS, silenceFormSchema } from '../../shared/silences/silence.ts';
import { contentHash } from '../../shared/text/content-hash.ts';
import { escapedMarkup } from '../../shared/text/escaped.ts';
import { quoted } from '../../shared/text/quoted.ts';
import { titleOf } from './page/alert-parts.ts';
import { alertFilters } from './page/alerts-view.ts';
import { passing } from './page/filters.ts';
import { resultText, type SlackDeps, signedBySlack, slackName } from './slack-interactions.ts';

export interface SlackCommandDeps extends SlackDeps, StatusStores {
  publicUrl: string;
}

const lengths = Object.keys(SNOOZES).join('|');
const HELP = escapedMarkup(`\`/deltawatch list [words]\` shows open alerts, most severe first
\`/deltawatch ack <alert> [reason]\` stops reminders: you work on it
\`/deltawatch snooze <alert> <${lengths}> [reason]\` stops its messages for a time
\`/deltawatch silence <rule or app> <hours> [reason]\` stops all its messages
An alert is named by the id in the list, or by its rule.`);

/** What Slack sends for a command: https://docs.slack.dev/interactivity/implementing-slash-commands. */
const typedSchema = z.object({
  ...{ text: z.string().default(''), user_id: z.string(), user_name: z.string().optional() },
  ...{ trigger_id: z.string().min(1), response_url: z.string().default('') },
});

/** Slack waits three seconds. It sends the time of the request in whole ones. */
const PATIENCE_MS = 2_500;

/** The endpoint for the command `/deltawatch` in Slack. Only the person who typed it sees the answer. */
export function slackCommands(deps: SlackCommandDeps): Hono {
  return new Hono().post('/commands', signedBySlack(deps), async (c) => {
    const typed = typedSchema.parse(Object.fromEntries(new URLSearchParams(await c.req.text())));
    const text = await answerTo(typed, deps).catch((error: unknown) => {
      if (error instanceof ConfigError) return `Nothing changed: ${escapedMarkup(error.message)}.`;
      deps.logger.error('a command of Slack failed', { error });
      const why = isExplained(error) ? error.message : 'the error is in the log of the respond function';
      return `The command failed: ${escapedMarkup(why)}. Check the current state before you try again.`;
    });
    const sentAt = Number(c.req.header('x-slack-request-timestamp')) * 1000;
    const isLate = deps.clock.now() - sentAt > PATIENCE_MS;
    if (isLate && (await deps.slack.reply(typed.response_url, text))) return c.body(null, 200);
    return c.json({ response_type: 'ephemeral', text });
  });
}

/** In Slack's markup. Throws `ConfigError` if the command must be written in another way. */
async function answerTo(typed: z.output<typeof typedSchema>, deps: SlackCommandDeps): Promise<string> {
  // Slack escapes what people type.
  const plain = typed.text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const [command, name = '', ...rest] = plain.split(/\s+/).filter(Boolean);
  // Identifies the request, so that sending it twice counts once.
  const once = contentHash(['slack', typed.trigger_id]);
  const who = (words: string[]): Actor => {
    const reason = reasonSchema.safeParse(words.join(' '));
    if (!reason.success) throw new ConfigError('the reason is too long');
    return { by: slackName(typed.user_name, typed.user_id), reason: reason.data, how: 'slack' };
  };
  const [length = '', ...reason] = rest;
  switch (command) {
    case 'list':
      return list([name, ...rest].join(' '), deps);
    case 'ack':
      return answer({ name, answer: 'acknowledge', once }, who(rest), deps);
    case 'snooze': {
      const snooze = Object.entries(SNOOZES).find(([each]) => each === length)?.[1];
      if (!snooze) throw new ConfigError(`write how long after the alert: ${lengths.replaceAll('|', ', ')}`);
      return answer({ name, answer: snooze, once }, who(reason), deps);
    }
    case 'silence':
      return silence({ name, hours: length, once }, who(reason), deps);
    default:
      return HELP;
  }
}

/** Alerts in a list. */
const MOST = 10;

async function list(words: string, deps: SlackCommandDeps): Promise<string> {
  const { alerts, clock, publicUrl } = deps;
  const status = await loadStatus(deps, clock.now());
  const found = passing(openIn(status), { q: words || undefined }, alertFilters(status));
  const shown = await loadListed(found.slice(0, MOST), alerts);
  const lines = shown.map(({ alert, rule }) => {
    const { state, flappingSinceAt, last, acknowledged } = alert;
    const title = quoted(titleOf(alert, rule));
    const moved = last && rule && !rule.members ? withMovement(title, { evaluation: last, rule }) : title;
    const isTaken = acknowledged ? `acknowledged by ${quoted(acknowledged.by)}` : 'not acknowledged';
    const facts = [rule?.severity ?? 'critical', flappingSinceAt === null ? state : 'flapping', isTaken];
    const said = `${escapedMarkup(facts.join(', '))}, since ${timeIn(sinceOf(alert))}`;
    return `\`${shortIdOf(alert)}\` ${link(publicUrl + alertPath(alert), moved)}: ${said}`;
  });
  const left = found.length - shown.length;
  const unknown = status.unread.length + unreadIn(status).length + failingRulesIn(status).length;
  return [
    ...(found.length === 0 ? [words ? 'No open alert has these words.' : 'No open alerts.'] : lines),
    ...(left > 0 ? [`+${left} more: ${link(`${publicUrl}/alerts`, 'all alerts')}`] : []),
    // A failure must not look like the absence of alerts.
    ...(unknown > 0
      ? [`${unknown} cannot be evaluated or read: ${link(`${publicUrl}/health`, 'Health')}`]
      : []),
  ].join('\n');
}

const openIn = (status: Status) => watchedIn(status).filter(isOpenOrFlapping);
const shortIdOf = ({ ruleId, segment }: AlertKey) => contentHash([ruleId, segment]).slice(0, 8);

async function answer(
  { name, answer, once }: { name: string; answer: Answer; once: string },
  who: Actor,
  deps: SlackCommandDeps,
): Promise<string> {
  const status = await loadStatus(deps, deps.clock.now());
  const [found, ...others] = openIn(status).filter(
    ({ alert }) => alert.ruleId === name || (name !== '' && shortIdOf(alert).startsWith(name)),
  );
  if (!found) throw new ConfigError(`no open alert has the id or rule "${quoted(name)}"`);
  if (others.length > 0)
    throw new ConfigError(`${others.length + 1} open alerts have "${quoted(name)}": use the id in the list`);
  const { alert, rule } = found;
  const given = { key: alert, answer, firedWindowEndAt: undefined, link: null, form: `${once}/${answer}` };
  const result = resultText(answer, await giveAnswer(given, who, deps));
  return `${link(deps.publicUrl + alertPath(alert), quoted(titleOf(alert, rule)))}. ${result}`;
}

async function silence(
  { name, hours, once }: { name: string; hours: string; once: string },
  who: Actor,
  { clock, publicUrl, ...deps }: SlackCommandDeps,
): Promise<string> {
  const now = clock.now();
  const { rules } = await loadDeployed(deps, now);
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
  const end = link(`${publicUrl}/silences`, 'End it');
  return `The ${key} ${escapedMarkup(quoted(name))} sends no messages until ${timeIn(untilAt)}. ${end}`;
}

const link = (url: string, label: string) => `<${escapedMarkup(url)}|${escapedMarkup(label)}>`;

/** Slack shows it in the zone of the reader. */
const timeIn = (at: number) =>
  `<!date^${Math.floor(at / 1000)}^{date_short_pretty} {time}|${momentText(at, 'UTC')}>`;
