import { DEFAULT } from '../notifications/route-faults.ts';
import type { Route } from '../notifications/routes.ts';

/**
 * One text for each route that can apply: "on-call during working-hours (route a)", "also growth (route b)", "otherwise
 * growth, then on-call after 30 minutes (route c)".
 */
export function routeTexts(routes: Route[]): string[] {
  return routes.map(({ name, channels, active, escalate = [] }, i) => {
    const during = active ? ` during ${active.join(' or ')}` : '';
    const before = routes[i - 1];
    const link = before === undefined ? '' : before.continue && name !== DEFAULT ? 'also ' : 'otherwise ';
    const later = escalate
      .map(({ after, channels }) => `, then ${channels.join(', ')} after ${after}`)
      .join('');
    return `${link}${channels.join(', ')}${during}${later} (route ${name})`;
  });
}
