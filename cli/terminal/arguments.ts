import { InvalidArgumentError } from 'commander';
import type { ZodType } from 'zod';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import type { Millis } from '../../shared/runtime/clock.ts';
import { zone } from '../../shared/text/text-schemas.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../shared/units/durations.ts';

// Parsers of option values. They throw `InvalidArgumentError` with the valid form.

export function fitting<T>(schema: ZodType<T>, form: string): (text: string) => T {
  return (text) => {
    const known = schema.safeParse(text);
    if (known.success) return known.data;
    throw new InvalidArgumentError(form);
  };
}

export function instant(text: string): Millis {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const at = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError(
      'Use a date such as 2026-03-01, or a time with an offset such as 2026-03-01T06:00Z.',
    );
  return at;
}

const UNITS = new Map([
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
  ['w', WEEK_MS],
]);

/** The origin of a URL with TLS: the page has fixed paths below it, and needs a host of its own. */
export function httpsAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.href !== `${url.origin}/`)
    throw new InvalidArgumentError(
      'Use the URL of the page, such as https://alerts.example.com: https, a host, and nothing after it.',
    );
  return url.origin;
}

/** In milliseconds: "90m", "4h", "2 days". */
export function duration(text: string): Millis {
  const [, number, unit] =
    /^([1-9]\d{0,4}) ?(?:([mhdw])|([mhdw])(?:inute|our|ay|eek)s?)$/.exec(text)?.filter(Boolean) ?? [];
  const each = UNITS.get(unit ?? '');
  if (each === undefined) throw new InvalidArgumentError('Use a duration such as 90m, 4h or 2d.');
  return Number(number) * each;
}

export function wholeNumberIn(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

export const appId = fitting(appSettingsSchema.shape.id, 'Use an app id: letters, digits, "_" and "-".');

/** For an option that can be repeated. */
export const appIds = (text: string, before: string[] = []): string[] => [...before, appId(text)];

export function zoneName(text: string): string {
  const known = zone.safeParse(text);
  if (known.success) return known.data;
  throw new InvalidArgumentError(`${known.error.issues[0]?.message ?? 'Unknown zone'}.`);
}

/** For options that can be repeated. */
export function listOf(value: string, before: string[] = []): string[] {
  return [...before, value];
}
