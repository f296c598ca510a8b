import type { Route } from '../notifications/routes.ts';

/** One text for each route that can apply: "on-call during working-hours (route a)", "otherwise growth (route b)". */
export function routeTexts(routes: Route[]): string[] {
  return routes.map(({ name, channels, active }, i) => {
    const during = active ? ` during ${active.join(' or ')}` : '';
    return `${i === 0 ? '' : 'otherwise '}${channels.join(', ')}${during} (route ${name})`;
  });
}
