import { mutedUntil } from './mute-calendar.ts';
import type { RuleSet } from './ports.ts';
import { routeFor, settingsOf } from './routes.ts';
import { matches, type Silence } from './silences.ts';
import { momentText } from './wording.ts';

/** What would keep an alert of the route from being told now, a sentence each: a drill is told all the same. */
export function drillNotes(
  route: string,
  { rules, routes }: RuleSet,
  silences: Silence[],
  now: number,
): string[] {
  const calendars = settingsOf(route, routes).mute.flatMap((name) => {
    const calendar = routes.calendars[name];
    const untilAt = calendar ? mutedUntil(calendar, now) : null;
    return calendar && untilAt !== null ? [{ name, until: momentText(untilAt, calendar.zone) }] : [];
  });
  const own = rules.filter((rule) => routeFor(rule, routes).route === route);
  const current = silences.filter(({ fromAt, untilAt }) => fromAt <= now && now < untilAt);
  const silenced = own.filter(({ id: rule, app, owner, severity }) =>
    current.some(({ match }) => matches(match, { rule, app, owner, severity, segment: null })),
  );
  return [
    ...calendars.map(
      ({ name, until }) => `an alert would wait now: the calendar ${name} mutes the route until ${until}`,
    ),
    ...(silenced.length > 0
      ? [`${silenced.length} of the ${own.length} rules of the route are silenced now`]
      : []),
    ...(own.length === 0 ? ['no rule takes this route'] : []),
  ];
}
