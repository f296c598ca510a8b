import { type ChannelConfig, isPager } from '../channels/kinds.ts';
import { minutes } from '../text/text-schemas.ts';
import type { Calendars } from '../time/route-calendar.ts';
import type { DigestSettings } from './digest-schedule.ts';
import type { RouteEntry, RouteSettings, Step } from './route-settings.ts';

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

/** Unknown channels and calendars, calendars without themselves, repeated names, channels and escalation times. */
export function routeFaults(routes: Given): Fault[] {
  const named = (channels: string[], path: Path) => [
    ...among(routes.channels, 'channel', channels, path),
    ...listedTwice(channels, path),
  ];
  const inSettings = ({ channels, mute, escalate = [] }: RouteSettings, path: Path) => [
    ...named(channels, [...path, 'channels']),
    ...escalate.flatMap((step, i) =>
      among(routes.channels, 'channel', step.channels, [...path, 'escalate', i, 'channels']),
    ),
    ...notInOrder(escalate, [...path, 'escalate']),
    ...among(routes.calendars, 'calendar', mute, [...path, 'mute']),
  ];
  return [
    ...Object.entries(routes.calendars).flatMap(([name, { except = [] }]) =>
      among(routes.calendars, 'calendar', except, ['calendars', name, 'except']),
    ),
    ...circles(routes.calendars),
    ...(Array.isArray(routes.default)
      ? named(routes.default, ['default'])
      : inSettings(routes.default, ['default'])),
    ...routes.routes.flatMap((route, i) => [
      ...among(routes.calendars, 'calendar', route.active ?? [], ['routes', i, 'active']),
      ...inSettings(route, ['routes', i]),
    ]),
    ...(routes.digest ? named(routes.digest.channels, DIGEST_PATH) : []),
    ...(routes.digest ? pagersIn(routes.digest.channels, routes.channels) : []),
    ...repeatedNames(routes),
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

const DIGEST_PATH = ['digest', 'channels'];

/** A pager opens an incident for all that it is sent, and a digest is none. */
function pagersIn(channels: string[], known: Given['channels']): Fault[] {
  return channels.flatMap((name, i) => {
    const config = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!config || !isPager(config)) return [];
    const message = `the channel "${name}" is a pager, which gets no digest; remove it here`;
    return [{ path: [...DIGEST_PATH, i], message }];
  });
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
