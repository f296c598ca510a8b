import {
  between,
  chance,
  type Draw,
  drawsFor,
  gammaAroundOne,
  poisson,
  wholeBetween,
} from '../../local/data/demo/draws.ts';
import type { Window } from '../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { adopted, BAD_VERSION, lengthOf, type Shape } from './shapes.ts';

/** Monday. All apps end within the week after it. */
const BASE = Date.UTC(2026, 5, 8);

/** A generated export. The same seed draws the same app with and without its incident. */
export interface GeneratedApp {
  shape: Shape;
  csv: string;
  data: Window;
  incident: Window | undefined;
}

export function generatedApp(shape: Shape, seed: number, hasIncident: boolean): GeneratedApp {
  const draw = drawsFor(seed, shape.name);
  const days = wholeBetween(draw, ...shape.days);
  const endAt = BASE + wholeBetween(draw, 0, 6) * DAY_MS;
  const startAt = endAt - days * DAY_MS;
  const perDay = between(draw, ...shape.sessionsPerDay);
  const growth = between(draw, ...shape.growth);
  const releases = releasesOf(shape, draw, { startAt, endAt });
  const lasts = lengthOf(shape, draw);
  const begins = incidentStart(shape, draw, { endAt, lasts, releases });
  const incident = { startAt: begins, endAt: Math.min(endAt, begins + lasts) };
  const users = Math.round(perDay * between(draw, 4, 8));
  const hours = shape.hours.reduce((sum, weight) => sum + weight, 0);

  const lines: { at: number; text: string }[] = [];
  for (let dayAt = startAt, day = 0; dayAt < endAt; dayAt += DAY_MS, day++) {
    const ofDay = drawsFor(seed, shape.name, 'day', day);
    const level = perDay * (1 + growth) ** (day / 7) * gammaAroundOne(ofDay, shape.unrest);
    const weekday = shape.week[(new Date(dayAt).getUTCDay() + 6) % 7] ?? 1;
    for (const [hour, weight] of shape.hours.entries()) {
      const hourAt = dayAt + hour * HOUR_MS;
      const isHit = hasIncident && incident.startAt <= hourAt && hourAt < incident.endAt;
      const hit = isHit ? (hourAt - incident.startAt) / DAY_MS : undefined;
      for (const [country, share] of shape.countries) {
        const drawn = drawsFor(seed, shape.name, hourAt, country);
        const usual = (level * weekday * weight * share) / hours / 100;
        const sessions = poisson(drawn, usual * (shape.sessions?.({ country, hit }) ?? 1));
        for (let i = 0; i < sessions; i++) {
          const user = Math.floor(drawn() * users * (share / 100));
          const ofUser = drawsFor(seed, 'user', country, user);
          const platform = chance(ofUser, 0.6) ? 'android' : 'ios';
          const version = versionFor(ofUser(), releases, hourAt);
          let at = hourAt + Math.floor(drawn() * (HOUR_MS - 600_000));
          for (const each of shape.events({ country, version, hit }, drawn)) {
            at += Math.ceil(drawn() * each.afterMs);
            const cells = [
              new Date(at).toISOString(),
              each.name,
              `${country.slice(0, 2)}${user}`,
              ...[platform, version, country, each.loadMs ?? '', each.price ?? ''],
            ];
            lines.push({ at, text: cells.join(',') });
          }
        }
      }
    }
  }
  lines.sort((a, b) => a.at - b.at || (a.text < b.text ? -1 : 1));
  return {
    shape,
    csv: `${[HEADER, ...lines.map(({ text }) => text)].join('\n')}\n`,
    data: { startAt, endAt },
    incident: hasIncident ? incident : undefined,
  };
}

const HEADER = 'time,event,user,platform,app_version,country,load_ms,price';

interface Release {
  version: string;
  at: number;
}

/** The newest first. The bad one is the last that still has two weeks. */
function releasesOf({ releaseEvery }: Shape, draw: Draw, { startAt, endAt }: Window): Release[] {
  if (releaseEvery === undefined) return [];
  const lastAt = endAt - between(draw, 10, 16) * DAY_MS;
  return [0, 1, 2, 3, 4].flatMap((back): Release[] => {
    const at = lastAt - back * releaseEvery * DAY_MS;
    return at > startAt ? [{ version: back === 0 ? BAD_VERSION : `3.${4 - back}.0`, at }] : [];
  });
}

/** Users with a small `place` update first. */
function versionFor(place: number, releases: Release[], at: number): string {
  return releases.find((release) => place < adopted((at - release.at) / HOUR_MS))?.version ?? '2.9.0';
}

function incidentStart(
  shape: Shape,
  draw: Draw,
  { endAt, lasts, releases }: { endAt: number; lasts: number; releases: Release[] },
): number {
  const [newest] = releases;
  if (newest) return Math.ceil(newest.at / HOUR_MS) * HOUR_MS;
  const daysLeft = shape.incidentHours[1] > 14 * 24 ? between(draw, 0, 3) : between(draw, 2, 12);
  return Math.floor((endAt - lasts - daysLeft * DAY_MS) / HOUR_MS) * HOUR_MS;
}
