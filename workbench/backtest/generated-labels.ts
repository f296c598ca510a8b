import { type Incident, incidentsFileSchema } from '../../local/data/demo/incidents.ts';
import type { Filter } from '../../shared/contract/filters.ts';
import type { MetricName } from '../../shared/rules/metric-table.ts';
import type { Label } from './label.ts';

/**
 * The file that `deltawatch data generate` writes beside the demo data of an app; `undefined` for other
 * content.
 */
export function generatedLabelsIn({ name, value }: { name: string; value: unknown }): Label[] | undefined {
  const app = name.replace(/\.incidents\.json$/, '');
  const parsed = incidentsFileSchema.safeParse(value);
  return parsed.success ? parsed.data.map((incident) => labelOf(incident, app)) : undefined;
}

export function labelOf(incident: Incident, app: string): Label {
  const { startsAt: startAt, endsAt: endAt, factor } = incident;
  const direction = factor < 1 ? 'fall' : 'rise';
  return {
    ...{ startAt, endAt, title: titleOf(incident) },
    about: { app, metrics: METRICS_MOVED[incident.kind], filters: filtersOf(incident), direction },
  };
}

/**
 * What the generator changes. Indirect effects, such as fewer sessions from fewer new users, are not labelled.
 */
const METRICS_MOVED: Record<Incident['kind'], MetricName[]> = {
  'rage-surge': ['rage_gestures', 'rage_gestures_per_session', 'rage_gestures_per_user'],
  'new-users-drop': ['new_users'],
  'event-stops': ['event_count', 'event_users', 'event_sessions', 'events_per_user'],
};

function filtersOf(incident: Incident): Filter[] {
  switch (incident.kind) {
    case 'rage-surge':
      return [
        { attribute: 'device_platform', operator: 'equal', value: incident.platform },
        { attribute: 'app_version', operator: 'equal', value: incident.appVersion },
        { attribute: 'session_screen_list', operator: 'has_any', value: [incident.screen] },
      ];
    case 'new-users-drop':
      return [];
    case 'event-stops':
      return [
        { attribute: 'event_name', operator: 'equal', value: incident.eventName },
        { attribute: 'device_country', operator: 'equal', value: incident.country },
      ];
  }
}

function titleOf(incident: Incident): string {
  switch (incident.kind) {
    case 'rage-surge':
      return `rage gestures on ${incident.screen}, ${incident.platform} ${incident.appVersion}`;
    case 'new-users-drop':
      return `new users fall with ${incident.appVersion}`;
    case 'event-stops':
      return `${incident.eventName} stops in ${incident.country}`;
  }
}
