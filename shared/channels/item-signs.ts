import {
  type ItemKind,
  isEnd,
  isTransition,
  type Sign,
  signOf,
  type Transition,
} from '../alerts/transitions.ts';
import type { Message, MessageItem } from '../messages/message.ts';
import type { Severity } from '../rules/rule-schema.ts';

/** How a message looks: its severity, or that no action is needed. */
export type Look = Severity | Exclude<Sign, 'severity'>;

const GLYPHS: Record<Look, string> = {
  critical: '🔴',
  warning: '🟠',
  info: '🔵',
  over: '✅',
  taken: '👀',
  snoozed: '💤',
  test: '🔔',
  digest: '📋',
};

const WORDS: Record<Severity, string> = { critical: 'critical', warning: 'warning', info: 'information' };

/** The small print of what is not about an alert. */
export const NO_ALERT: Record<Exclude<ItemKind, Transition>, string> = {
  test: 'test notification, not an alert',
  digest: 'digest, not an alert',
};

export function lookOf({ transition, severity }: Pick<MessageItem, 'transition' | 'severity'>): Look {
  const sign = signOf(transition);
  return sign === 'severity' ? severity : sign;
}

/** The look of the whole message. A digest is over only if all its alerts are. */
export function lookOfMessage({ items, severity }: Message): Look {
  const [only, ...others] = items;
  if (only && others.length === 0) return lookOf(only);
  return items.every(({ transition }) => isEnd(transition)) ? 'over' : severity;
}

/** `text` after the glyph of `look`. */
export function signed(look: Look, text: string): string {
  return `${GLYPHS[look]} ${text}`;
}

/** The small print: severity, rule and app. */
export function sourceOf({ ruleId, app, severity, transition }: MessageItem): string {
  if (!isTransition(transition)) return NO_ALERT[transition];
  return [
    ...(isEnd(transition) ? [] : [WORDS[severity]]),
    ...(app !== null && ruleId.endsWith(`:${app}`) ? [] : [`rule ${ruleId}`]),
    ...(app === null ? [] : [`app ${app}`]),
  ].join(' · ');
}
