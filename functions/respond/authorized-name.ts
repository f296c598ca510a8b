import * as z from 'zod';

/** The authorizer context of an API Gateway request: JWT claims or the IAM identity of the caller. */
const authorizedSchema = z.object({
  requestContext: z.object({
    authorizer: z.object({
      jwt: z
        .object({
          claims: z.object({
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

/** The name that the authorizer verified; `undefined` without an authorizer. */
export function authorizedName(env: unknown): string | undefined {
  const parsed = authorizedSchema.safeParse(env);
  if (!parsed.success) return undefined;
  const { jwt, iam } = parsed.data.requestContext.authorizer;
  if (jwt) {
    const { email, email_verified: verified, sub } = jwt.claims;
    // Some issuers accept any address at sign-up. Only a verified one identifies the user.
    return String(verified) === 'true' ? (email ?? sub) : sub;
  }
  // For an assumed role, the last part is the name of the role session.
  return iam?.userArn.split('/').at(-1);
}
