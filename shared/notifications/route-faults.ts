import { type ChannelConfig, isPager } from '../channels/kinds.ts';
import { minutes } from '../text/text-schemas.ts';
import type { Calendars } from '../time/route-calendar.ts';
import type { DigestSettings } from './digest-schedule.ts';
import {
  isTooSoon,
  LEAST_MINUTES,
  type RouteEntry,
  type RouteSettings,
  type Step,
} from './route-settings.ts';

/** The route name of the default. */
export const DEFAULT = 'default';

type Path = (string | number)[];

interface Fault {
  path: Path;
  message: string;
}

/** Routes whose form is right. */
interface Given {
  channels: Readonly<Record<string, ChannelConfig>>;
  calendars: Calendars;
  default: string[] | RouteSettings;
  routes: RouteEntry[];
  digest?: DigestSettings | undefined;
}

/** Unknown channels and calendars, calendars that leave out themselves, and duplicate route names. */
export function wrongNames(routes: Given): Fault[] {
  const inSettings = ({ channels, mute, escalate = [] }: RouteSettings, path: Path) => [
    ...among(routes.channels, 'channel', channels, [...path, 'channels']),
    ...escalate.flatMap((step, i) =>
      among(routes.channels, 'channel', step.channels, [...path, 'escalate', i, 'channels']),
    ),
    ...among(routes.calendars, 'calendar', mute, [...path, 'mute']),
  ];
  return [
    ...Object.entries(routes.calendars).flatMap(([name, { except = [] }]) =>
      among(routes.calendars, 'calendar', except, ['calendars', name, 'except']),
    ),
    ...circles(routes.calendars),
    ...(Array.isArray(routes.default)
      ? among(routes.channels, 'channel', routes.default, ['default'])
      : inSettings(routes.default, ['default'])),
    ...routes.routes.flatMap((route, i) => [
      ...among(routes.calendars, 'calendar', route.active ?? [], ['routes', i, 'active']),
      ...inSettings(route, ['routes', i]),
    ]),
    ...(routes.digest ? digestFaults(routes.digest, routes.channels) : []),
    ...repeatedNames(routes),
  ];
}

/** Reminders that are too frequent, escalations that are not one after another, and channels that are listed twice. */
export function discouraged({ default: rest, routes, digest }: Given): Fault[] {
  const inSettings = ({ channels, repeat, escalate = [] }: RouteSettings, path: Path) => [
    ...listedTwice(channels, [...path, 'channels']),
    ...notInOrder(escalate, [...path, 'escalate']),
    ...(repeat && isTooSoon(repeat)
      ? [{ path: [...path, 'repeat', 'after'], message: `write ${LEAST_MINUTES} minutes or more` }]
      : []),
  ];
  return [
    ...(Array.isArray(rest) ? listedTwice(rest, ['default']) : inSettings(rest, ['default'])),
    ...routes.flatMap((route, i) => inSettings(route, ['routes', i])),
    ...(digest ? listedTwice(digest.channels, ['digest', 'channels']) : []),
  ];
}

/** "defined: a, b", or that none are. */
export function definedText(names: readonly string[]): string {
  return names.length > 0 ? `defined: ${names.join(', ')}` : 'none are defined';
}

function among(known: object, kind: string, names: string[], path: Path): Fault[] {
  const message = (name: string) => `there is no ${kind} "${name}"; ${definedText(Object.keys(known))}`;
  return names.flatMap((name, i) =>
    Object.hasOwn(known, name) ? [] : [{ path: [...path, i], message: message(name) }],
  );
}

/** A pager opens an incident for all that it is sent, and a digest is none. */
function digestFaults({ channels }: DigestSettings, known: Given['channels']): Fault[] {
  const path = ['digest', 'channels'];
  const pagers = channels.flatMap((name, i) => {
    const config = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!config || !isPager(config)) return [];
    const message = `the channel "${name}" is a pager, which gets no digest; remove it here`;
    return [{ path: [...path, i], message }];
  });
  return [...among(known, 'channel', channels, path), ...pagers];
}

function listedTwice(channels: string[], path: Path): Fault[] {
  return channels.flatMap((name, i) =>
    channels.indexOf(name) < i ? [{ path: [...path, i], message: 'the channel is listed twice' }] : [],
  );
}

/** Calendars that leave out themselves, directly or through others: their times would be undefined. */
function circles(calendars: Calendars): Fault[] {
  return Object.keys(calendars).flatMap((name) => {
    const way = wayBack([name], calendars);
    if (!way) return [];
    const message = `the calendar leaves out itself (${way.join(' except ')}); remove one of these exceptions`;
    return [{ path: ['calendars', name, 'except'], message }];
  });
}

/** A way over exceptions from the first calendar of `way` back to it. */
function wayBack(way: string[], calendars: Calendars): string[] | undefined {
  const [first = '', last = first] = [way[0], way.at(-1)];
  const { except = [] } = calendars[last] ?? {};
  if (except.includes(first)) return [...way, first];
  for (const next of except.filter((each) => !way.includes(each))) {
    const found = wayBack([...way, next], calendars);
    if (found) return found;
  }
  return undefined;
}

function notInOrder(steps: Step[], path: Path): Fault[] {
  const waits = steps.map(({ after }) => minutes.safeParse(after).data ?? Infinity);
  return waits.flatMap((wait, i) => {
    const isFirst = i === 0;
    if (wait > (waits[i - 1] ?? 0)) return [];
    const message = isFirst ? 'write 1 minute or more' : 'write more than in the step before';
    return [{ path: [...path, i, 'after'], message }];
  });
}

function repeatedNames({ routes }: Given): Fault[] {
  const names = [DEFAULT, ...routes.map(({ name }) => name)];
  return routes.flatMap(({ name }, i) =>
    names.indexOf(name) <= i
      ? [{ path: ['routes', i, 'name'], message: `another route is called "${name}"` }]
      : [],
  );
}
