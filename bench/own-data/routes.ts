import { routesSchema } from '../../shared/alerting/routes.ts';

export const ROUTES = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'none' } } },
  default: ['team'],
});
