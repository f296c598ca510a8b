import type { Alert, Notification } from '../alerts/alert.ts';
import type { Note } from '../alerts/note.ts';
import { TRANSITIONS } from '../alerts/transitions.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { FigureRule, Rule } from '../rules/rule.ts';

/** A notification with its alert and rule. */
export interface NewsContext {
  alert: Alert;
  notification: Notification;
  rule: Rule | undefined;
  zone?: string | undefined;
  /** What happened around that time. */
  notes?: Note[];
}

/** An evaluation with its rule. */
export interface EvaluatedWindow {
  evaluation: Evaluation;
  rule: FigureRule;
}

/** The evaluation that a message shows; `undefined` if it shows none. */
export function evaluatedIn({ alert, notification, rule }: NewsContext): EvaluatedWindow | undefined {
  if (!rule || rule.members) return undefined;
  const evaluation = evaluationFor(alert, notification);
  if (!evaluation || evaluation.current.value === null || evaluation.difference === null) return undefined;
  return { evaluation, rule };
}

function evaluationFor({ last }: Alert, { transition, evaluation }: Notification): Evaluation | null {
  switch (TRANSITIONS[transition].figures) {
    case 'own':
      return evaluation;
    case 'own-or-last':
      return evaluation ?? last;
    case 'last':
      return last ?? evaluation;
  }
}

export function zoneOf({ rule, zone = 'UTC' }: Pick<NewsContext, 'rule' | 'zone'>): string {
  return rule?.zone ?? zone;
}
