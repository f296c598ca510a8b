import * as z from 'zod';

/** `answer`: also answers, notes and silences. `admin`: also reads the audit log. */
export const ROLES = ['read', 'answer', 'admin'] as const;

/** A role in some apps or, without them, in all. An admin is one of all apps. */
export const grantSchema = z
  .strictObject({ role: z.enum(ROLES), apps: z.array(z.string().min(1)).min(1).optional() })
  .refine(({ role, apps }) => role !== 'admin' || !apps, 'an admin is one of all apps: name none');
export type Grant = z.output<typeof grantSchema>;

/** The roles of the groups in a claim of a sign-in. */
export const rolesSchema = z.strictObject({
  claim: z.string().min(1).default('groups'),
  groups: z
    .array(
      grantSchema.safeExtend({
        group: z.string().regex(/^[^\s,[\]]+$/, 'must be a group without blanks, commas and brackets'),
      }),
    )
    .min(1),
});
export type Roles = z.output<typeof rolesSchema>;

/** What everybody may do where there are no roles. */
export const ADMIN: Grant[] = [{ role: 'admin' }];

export const isAdmin = (grants: Grant[]): boolean => grants.some(({ role }) => role === 'admin');

/** The apps that exist for somebody with these roles; `undefined`: all. */
export function appsOf(grants: Grant[]): ReadonlySet<string> | undefined {
  return grants.some(({ apps }) => !apps) ? undefined : new Set(grants.flatMap(({ apps = [] }) => apps));
}

/** The apps in which they may answer, note and silence; `undefined`: all. */
export const writableApps = (grants: Grant[]) => appsOf(grants.filter(({ role }) => role !== 'read'));

/** Whether they may do so in an app or, without one, in any. */
export function mayWrite(grants: Grant[], app?: string): boolean {
  const apps = writableApps(grants);
  return !apps || (app === undefined ? apps.size > 0 : apps.has(app));
}
