import type { Actor, AuditLog } from '../alerts/audit.ts';
import type { Match } from '../silences/matching.ts';
import type { Silence, SilenceStore } from '../silences/silence.ts';

interface SilencingDeps {
  silences: SilenceStore;
  audit: Pick<AuditLog, 'save'>;
}

/** Saves a silence that begins `now` (epoch milliseconds). */
export async function addSilence(
  silence: Pick<Silence, 'id' | 'match' | 'untilAt'>,
  { how, ...who }: Actor,
  now: number,
  { silences, audit }: SilencingDeps,
): Promise<Silence> {
  const added: Silence = { ...silence, fromAt: now, ...who, at: now };
  await silences.save(added);
  await audit.save({ ...about(added), ...who, how, at: now, kind: 'silence-added' });
  return added;
}

/** Ends an active or scheduled silence now. `undefined` if it does not exist or has ended. */
export async function endSilence(
  id: string,
  who: Pick<Actor, 'how'> & { by: string | null },
  now: number,
  { silences, audit }: SilencingDeps,
): Promise<Silence | undefined> {
  const silence = (await silences.loadAll()).find((each) => each.id === id);
  if (!silence || silence.untilAt <= now) return undefined;
  const ended = { ...silence, untilAt: now };
  await silences.save(ended);
  await audit.save({ ...about(ended), ...who, at: now, kind: 'silence-ended' });
  return ended;
}

const about = ({ id, match }: Silence) => ({
  ...{ on: id, detail: matchText(match) },
  app: typeof match.app === 'string' ? match.app : null,
});

/** "app=demo segment=DE": as `deltawatch silence add --match` takes them. */
export function matchText(match: Match): string {
  const each = Object.entries(match).flatMap(([key, pattern]) =>
    pattern === undefined ? [] : [`${key}=${patternText(pattern)}`],
  );
  return each.join(' ') || 'everything';
}

function patternText(pattern: NonNullable<Match[keyof Match]>): string {
  if (typeof pattern === 'string') return pattern;
  return 'is' in pattern ? pattern.is || '""' : pattern.join(' or ');
}
