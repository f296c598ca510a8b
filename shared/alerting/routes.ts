import * as z from 'zod';
import { channelSchema } from './channels.ts';
import { type Rule, SEVERITIES } from './rule.ts';

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'use lower-case letters, digits and dashes');

const matchSchema = z
  .strictObject({
    app: z.string().optional(),
    rule: z.string().optional(),
    owner: z.string().optional(),
    severity: z.enum(SEVERITIES).optional(),
  })
  .describe('All that are given must be equal.');

/** `rules/routes.yaml`: who hears of which rule. The first route that matches is taken; `default` hears the rest. */
export const routesSchema = z
  .strictObject({
    $schema: z.string().optional(),
    channels: z.record(name, channelSchema),
    default: z.array(name).min(1).describe('Channels of every rule that no route matches.'),
    routes: z.array(z.strictObject({ name, match: matchSchema, channels: z.array(name).min(1) })).default([]),
  })
  .superRefine((routes, context) => {
    const check = (channels: string[], path: (string | number)[]) => {
      for (const [i, channel] of channels.entries())
        if (!Object.hasOwn(routes.channels, channel))
          context.addIssue({
            code: 'custom',
            path: [...path, i],
            message: `no channel "${channel}"; there are ${Object.keys(routes.channels).join(', ')}`,
          });
    };
    check(routes.default, ['default']);
    for (const [i, route] of routes.routes.entries()) check(route.channels, ['routes', i, 'channels']);
  });

export type Routes = z.output<typeof routesSchema>;

/** What routes go by: a rule, or the app's own alert, whose id is no rule's. */
export type Addressee = Pick<Rule, 'id' | 'app' | 'owner' | 'severity'> & Partial<Pick<Rule, 'quiet'>>;

/** The route that news of `about` take and the channels that hear of them. */
export function routeFor(about: Addressee, routes: Routes): { route: string; channels: string[] } {
  const subject = { app: about.app, rule: about.id, owner: about.owner, severity: about.severity };
  const route = routes.routes.find(({ match }) =>
    Object.entries(match).every(
      ([key, value]) => value === undefined || subject[key as keyof typeof subject] === value,
    ),
  );
  return route
    ? { route: route.name, channels: route.channels }
    : { route: 'default', channels: routes.default };
}
