import { routesSchema } from '../../shared/alerting/notifications/routes.ts';

export const ROUTES = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'none' } } },
  default: ['team'],
});
