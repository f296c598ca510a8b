import * as z from 'zod';

/** Of an API's request: what its authorizer found out, a token's claims or the caller's identity in AWS. */
const authorizedSchema = z.object({
  requestContext: z.object({
    authorizer: z.object({
      jwt: z
        .object({
          claims: z.object({
            email: z.string().optional(),
            /** HTTP APIs hand on each claim as a text. */
            email_verified: z.unknown().optional(),
            sub: z.string().optional(),
          }),
        })
        .nullish(),
      iam: z.object({ userArn: z.string() }).nullish(),
    }),
  }),
});

/** Who the authorizer before this function let through; `undefined` where none stands there. */
export function authorizedName(env: unknown): string | undefined {
  const parsed = authorizedSchema.safeParse(env);
  if (!parsed.success) return undefined;
  const { jwt, iam } = parsed.data.requestContext.authorizer;
  if (jwt) {
    const { email, email_verified: verified, sub } = jwt.claims;
    // With some issuers anybody may type any address, which becomes theirs only once it is verified.
    return String(verified) === 'true' ? (email ?? sub) : sub;
  }
  // Of an assumed role the last part is the name of the session, which is the person's where they sign in by it.
  return iam?.userArn.split('/').at(-1);
}
