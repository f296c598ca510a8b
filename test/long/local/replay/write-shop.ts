import { join } from 'node:path';
import { appPaths } from '../../../../local/data/app-file.ts';
import { replaceText } from '../../../../local/files.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/units/durations.ts';
import { type Columns, event, session, writeData } from '../../../functions/data-access/sample-app.ts';

/** The events of a session, and in how many of 24 sessions each occurs. */
const STEPS = [
  { event_name: 'view_item', of24: 24 },
  { event_name: 'add_to_cart', of24: 18 },
  { event_name: 'begin_checkout', of24: 12 },
  { event_name: 'purchase', of24: 9 },
];

/** A period in which something is wrong. */
export interface Trouble {
  fromAt: number;
  toAt: number;
  /** An event that is not sent. */
  without?: string;
  /** Limits the trouble to one platform. */
  platform?: string;
  /** The delay of uploads in this period. */
  lateMs?: number;
}

/**
 * The app `demo` with about 24 sessions per hour by day and 6 by night, nearly the same each week. Data is uploaded when
 * it is recorded, unless a trouble delays it.
 */
export async function writeShop(
  dir: string,
  { fromAt, toAt }: { fromAt: number; toAt: number },
  troubles: Trouble[] = [],
): Promise<void> {
  const sessions: Columns[] = [];
  const events: Columns[] = [];
  for (let hourAt = fromAt; hourAt < toAt; hourAt += HOUR_MS) {
    const hour = (hourAt % DAY_MS) / HOUR_MS;
    const openings = hour >= 6 && hour < 22 ? 24 + ((hourAt / HOUR_MS) % 5) : 6;
    for (let i = 0; i < openings; i++) {
      const at = hourAt + Math.floor((i * HOUR_MS) / openings);
      const platform = i % 3 === 0 ? 'ios' : 'android';
      const trouble = troubles.find(
        (each) => each.fromAt <= at && at < each.toAt && (each.platform ?? platform) === platform,
      );
      const recorded_at = new Date(at).toISOString();
      const uploaded_at = new Date(at + (trouble?.lateMs ?? 0)).toISOString();
      const country = ['DE', 'FR', 'ES'][i % 3] ?? 'DE';
      const opened = session({ recorded_at, uploaded_at, platform, country, user_id: `u${i}` });
      sessions.push(opened);
      for (const { event_name, of24 } of STEPS)
        if (i % 24 < of24 && trouble?.without !== event_name)
          events.push(event(opened, { event_name, uploaded_at, recorded_at }));
    }
  }
  await writeData(appPaths(dir, 'demo').data, { sessions, events });
  const settings = { id: 'demo', name: 'A shop', zone: 'Europe/Berlin' };
  await replaceText(join(dir, 'demo.json'), JSON.stringify(settings));
}
