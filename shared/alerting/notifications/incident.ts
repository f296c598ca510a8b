import type { AlertKey } from '../alerts/alert.ts';
import { type Condition, type ItemKind, TRANSITIONS } from '../alerts/transitions.ts';
import { contentHash } from '../text/content-hash.ts';

/** What a pager is told of an incident: that it is there, that somebody has it, that it is over. */
export interface IncidentNews {
  /** Names the incident, at most 255 bytes: all news of one incident have the same. */
  key: string;
  action: 'trigger' | 'acknowledge' | 'resolve';
}

/** An alert that fires, data that are missing and a rule that cannot be judged are incidents apart. */
type Matter = 'alert' | 'data' | 'health';

const MAX_KEY_BYTES = 255;

const MATTERS: Record<Condition, Matter> = {
  firing: 'alert',
  'app-stopped': 'alert',
  'no-data': 'data',
  health: 'health',
};

/** What this news means to a pager; `null` where it is nothing to wake anybody with, nor to let anybody sleep. */
export function incidentNews(of: AlertKey & { transition: ItemKind }): IncidentNews | null {
  if (of.transition === 'test') return { key: incidentKey(of, 'alert'), action: 'trigger' };
  const { on, sent } = TRANSITIONS[of.transition];
  const [condition] = on.about;
  if (sent.pager === 'none' || condition === undefined) return null;
  return { key: incidentKey(of, MATTERS[condition]), action: sent.pager };
}

function incidentKey({ ruleId, segment }: AlertKey, matter: Matter): string {
  // Escaped, so that no segment can look like the parts that follow it.
  const escaped = (segment ?? '').toWellFormed().replaceAll('%', '%25').replaceAll('#', '%23');
  const key = [ruleId, escaped, ...(matter === 'alert' ? [] : [matter])].join('#');
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key;
  return `${ruleId.slice(0, 70)}#~${contentHash([ruleId, segment, matter])}`;
}
