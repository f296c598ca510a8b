import { routesSchema } from '../../shared/notifications/routes.ts';

export const ROUTES = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'none' } } },
  default: ['team'],
});
