import * as z from 'zod';

/** Of an API's request: what its authorizer found out, a token's claims or the caller's identity in AWS. */
const authorizedSchema = z.object({
  requestContext: z.object({
    authorizer: z.object({
      jwt: z
        .object({ claims: z.object({ email: z.string().optional(), sub: z.string().optional() }) })
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
  // Of an assumed role the last part is the name of the session, which is the person's where they sign in by it.
  return jwt?.claims.email ?? jwt?.claims.sub ?? iam?.userArn.split('/').at(-1);
}
