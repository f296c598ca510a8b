import type { Notification } from '../alerts/alert.ts';
import type { End } from '../alerts/transitions.ts';
import type { FigureRule } from '../rules/rule.ts';
import { amountText, boundsText, valueText } from './figure-text.ts';
import type { EvaluatedWindow } from './news.ts';

/** The first words of the headline of an alert that ended. */
export const ENDED: Record<End, string> = {
  recovered: 'Recovered',
  retracted: 'Retracted',
  accepted: 'Rebaselined',
  excused: 'Marked as expected',
  calmed: 'Stable again',
  restarted: 'Ended',
  'data-back': 'Ended',
  healed: 'Ended',
  resumed: 'Ended',
};

/** The value after the subject: "Recovered: Purchases back at 990 events", "Retracted: Purchases at 990 events, not 590". */
export function endText(
  { transition, firstRead }: Notification,
  evaluated: EvaluatedWindow | undefined,
): string {
  if (!evaluated) return '';
  const { evaluation, rule } = evaluated;
  const now = amountText(evaluation.current.value, rule);
  if (transition === 'recovered') return ` back at ${now}`;
  const wrong =
    transition === 'retracted' && firstRead?.value != null ? `, not ${valueText(firstRead.value, rule)}` : '';
  return ` at ${now}${wrong}`;
}

/** Why an alert recovered: "no longer crosses the threshold (change below -30%)". */
export function recoveredText(rule: FigureRule): string {
  const bounds = rule.recover ?? rule.fire;
  const threshold = rule.recover ? 'recovery threshold' : 'threshold';
  return bounds ? `no longer crosses the ${threshold} (${boundsText(bounds, rule)})` : 'back to normal';
}
