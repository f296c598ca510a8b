import { DEFAULT } from '../notifications/route-faults.ts';
import type { Route } from '../notifications/routes.ts';

/**
 * One text for each route that can apply: "on-call during working-hours (route a)", "also growth (route b)", "otherwise
 * growth (route c)".
 */
export function routeTexts(routes: Route[]): string[] {
  return routes.map(({ name, channels, active }, i) => {
    const during = active ? ` during ${active.join(' or ')}` : '';
    const before = routes[i - 1];
    const link = before === undefined ? '' : before.continue && name !== DEFAULT ? 'also ' : 'otherwise ';
    return `${link}${channels.join(', ')}${during} (route ${name})`;
  });
}
