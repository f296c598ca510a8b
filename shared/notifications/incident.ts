import type { AlertKey } from '../alerts/alert.ts';
import { type Condition, type ItemKind, TRANSITIONS } from '../alerts/transitions.ts';
import { contentHash } from '../text/content-hash.ts';

/** An event for a pager: trigger, acknowledge or resolve an incident. */
export interface IncidentNews {
  /** Deduplication key of the incident, at most 255 bytes. */
  key: string;
  action: 'trigger' | 'acknowledge' | 'resolve';
}

/** A firing alert, missing data and a rule that cannot be evaluated are separate incidents. */
type Matter = 'alert' | 'data' | 'health';

const MAX_KEY_BYTES = 255;

const MATTERS: Record<Condition, Matter> = {
  firing: 'alert',
  'app-stopped': 'alert',
  'no-data': 'data',
  health: 'health',
};

/** The pager event of a transition; `null` if a pager ignores it. */
export function incidentNews(of: AlertKey & { transition: ItemKind }): IncidentNews | null {
  if (of.transition === 'test') return { key: incidentKey(of, 'alert'), action: 'trigger' };
  if (of.transition === 'digest') return null;
  const { about, pager } = TRANSITIONS[of.transition];
  const [condition] = about;
  if (pager === 'none' || condition === undefined) return null;
  return { key: incidentKey(of, MATTERS[condition]), action: pager };
}

function incidentKey({ ruleId, segment }: AlertKey, matter: Matter): string {
  // Escaped, so that a segment cannot imitate the parts after it.
  const escaped = (segment ?? '').toWellFormed().replaceAll('%', '%25').replaceAll('#', '%23');
  const key = [ruleId, escaped, ...(matter === 'alert' ? [] : [matter])].join('#');
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
  return `${ruleId.slice(0, 70)}#~${contentHash([ruleId, segment, matter])}`;
}
