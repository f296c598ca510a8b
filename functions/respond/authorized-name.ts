import * as z from 'zod';
import { ADMIN, type Roles } from '../../shared/alerts/roles.ts';
import type { Visitor } from './visitors.ts';

/** The authorizer context of an API Gateway request: JWT claims or the IAM identity of the caller. */
const authorizedSchema = z.object({
  requestContext: z.object({
    authorizer: z.object({
      jwt: z
        .object({
          claims: z.looseObject({
            email: z.string().optional(),
            /** HTTP APIs pass each claim as a string. */
            email_verified: z.unknown().optional(),
            sub: z.string().optional(),
          }),
        })
        .nullish(),
      iam: z.object({ userArn: z.string() }).nullish(),
    }),
  }),
});

const authorizerIn = (env: unknown) => authorizedSchema.safeParse(env).data?.requestContext.authorizer;

/** The name that the authorizer verified; `undefined` without an authorizer. */
export function authorizedName(env: unknown): string | undefined {
  const { jwt, iam } = authorizerIn(env) ?? {};
  // For an assumed role, the last part is the name of the role session.
  if (!jwt) return iam?.userArn.split('/').at(-1);
  const { email, email_verified: verified, sub } = jwt.claims;
  // Some issuers accept any address at sign-up. Only a verified one identifies the user.
  return String(verified) === 'true' ? (email ?? sub) : sub;
}

/** Only what the authorizer passes counts, never a header. With `roles`, groups decide what the visitor may do. */
export function authorizedVisitor(env: unknown, roles: Roles | undefined): Visitor {
  const name = authorizedName(env);
  if (!roles) return { name, grants: ADMIN };
  const { claim } = roles;
  // An HTTP API makes one text of a list: `[oncall shop]`.
  const named = z.string().catch('').parse(authorizerIn(env)?.jwt?.claims[claim]);
  const groups = named.split(/[\s,[\]]+/).filter(Boolean);
  return { name, claim, groups, grants: roles.groups.filter(({ group }) => groups.includes(group)) };
}
