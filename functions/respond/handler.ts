import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import * as z from 'zod';
import { signedLinks } from '../../shared/access/signed-links.ts';
import { rolesSchema } from '../../shared/alerts/roles.ts';
import { slackApp } from '../../shared/channels/slack/signed-requests.ts';
import { AWS_CONNECTION } from '../../shared/runtime/aws-connection.ts';
import { systemClock as clock } from '../../shared/runtime/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { createLogger, loggingFailure } from '../../shared/runtime/logger.ts';
import { createMeter } from '../../shared/runtime/metrics.ts';
import { createSecretsManagerReader } from '../../shared/runtime/secrets.ts';
import { apiKeysIn } from '../../shared/store/api-keys.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { rateLimiterIn } from '../../shared/store/rate-limiter.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { usedLinksIn } from '../../shared/store/used-links.ts';
import { authorizedVisitor } from './authorized-name.ts';
import { createRespond } from './respond.ts';
import type { Access } from './visitors.ts';

const environment = readEnvironment({
  TABLE_NAME: z.string().min(1),
  PUBLIC_URL: z.url(),
  SIGNING_SECRET: z.string().min(1),
  SESSION_SECRET: z.string().min(1).optional(),
  STAGE_NAME: z.string().min(1),
  SLACK_SIGNING_SECRET: z.string().min(1).optional(),
  // "open" exists only for the local page. A deployed page needs authentication.
  ACCESS: z.enum(['session', 'authorized']),
  // A file beside this one, as it may be larger than an environment.
  ROLES_FILE: z.string().min(1).optional(),
  CALLS_PER_HOUR: z.coerce.number().int().positive(),
});
const logger = createLogger('respond');
const table = openTable(environment.TABLE_NAME, new DynamoDBClient(AWS_CONNECTION), clock);
const secrets = createSecretsManagerReader(clock);

/** A signer with the keys in one secret. Notify may read only that of messages, so sessions have another. */
const signerBy = (secretName: string) => signedLinks(() => secrets.readSecret(secretName), clock);

function accessBy({ ACCESS, SESSION_SECRET: secretName, ROLES_FILE: file }: typeof environment): Access {
  if (ACCESS === 'authorized') {
    const text = file && readFileSync(new URL(file, import.meta.url), 'utf8');
    const roles = text ? rolesSchema.parse(JSON.parse(text)) : undefined;
    return { kind: 'authorized', visitorOf: (c) => authorizedVisitor(c.env, roles) };
  }
  if (secretName === undefined)
    throw new ConfigError(
      'ACCESS is "session", but SESSION_SECRET is not set: set it to the name of the secret with the session keys',
    );
  return {
    kind: 'session',
    command: `npx deltawatch open --stage ${environment.STAGE_NAME}`,
    signer: signerBy(secretName),
  };
}

const { SLACK_SIGNING_SECRET: slackSecret } = environment;
const answer = handle(
  createRespond({
    ...storesIn(table, logger, createMeter('table')),
    used: usedLinksIn(table),
    keys: apiKeysIn(table),
    limiter: rateLimiterIn(table),
    signer: signerBy(environment.SIGNING_SECRET),
    access: accessBy(environment),
    publicUrl: environment.PUBLIC_URL,
    ...(slackSecret !== undefined && { slack: slackApp(() => secrets.readSecret(slackSecret), clock) }),
    newId: randomUUID,
    callsPerHour: environment.CALLS_PER_HOUR,
    clock,
    logger,
  }),
);

export const handler = (event: LambdaEvent) => loggingFailure(logger, () => answer(event));
