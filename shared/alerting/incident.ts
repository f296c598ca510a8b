import type { AlertKey, ItemKind } from './alert.ts';
import { digest } from './digest.ts';

/** What a pager is told of an incident: that it is there, that somebody has it, that it is over. */
export interface IncidentNews {
  /** Names the incident, at most 255 bytes: all news of one incident have the same. */
  key: string;
  action: 'trigger' | 'acknowledge' | 'resolve';
}

/** An alert that fires, data that are missing and a rule that cannot be judged are incidents apart. */
type Matter = 'alert' | 'data' | 'health';

const MAX_KEY_BYTES = 255;

/** What this news means to a pager; `null` where it is nothing to wake anybody with, nor to let anybody sleep. */
export function incidentNews(of: AlertKey & { transition: ItemKind }): IncidentNews | null {
  const about = (matter: Matter, action: IncidentNews['action']) => ({
    key: incidentKey(of, matter),
    action,
  });
  switch (of.transition) {
    case 'fired':
    case 'persists':
    case 'flapping':
    case 'stopped':
    case 'test':
      return about('alert', 'trigger');
    case 'acknowledged':
    case 'snoozed':
      return about('alert', 'acknowledge');
    case 'recovered':
    case 'retracted':
    case 'accepted':
    case 'excused':
    case 'restarted':
    case 'calmed':
    case 'resumed':
      return about('alert', 'resolve');
    case 'no-data':
      return about('data', 'trigger');
    case 'data-back':
      return about('data', 'resolve');
    case 'broken':
    case 'stalled':
      return about('health', 'trigger');
    case 'healed':
      return about('health', 'resolve');
    // The pager reminds by itself, a first failure mostly heals by the next run, and a wrong rule can wait.
    case 'reminded':
    case 'failing':
    case 'matches-nothing':
      return null;
  }
}

function incidentKey({ ruleId, segment }: AlertKey, matter: Matter): string {
  // Escaped, so that no segment can look like the parts that follow it.
  const escaped = (segment ?? '').toWellFormed().replaceAll('%', '%25').replaceAll('#', '%23');
  const key = [ruleId, escaped, ...(matter === 'alert' ? [] : [matter])].join('#');
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
  return `${ruleId.slice(0, 70)}#~${digest([ruleId, segment, matter])}`;
}
