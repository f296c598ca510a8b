import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { signedLinks } from '../../shared/access/signed-links.ts';
import { secretAt } from '../../shared/channels/kind.ts';
import { openChannel } from '../../shared/channels/open.ts';
import { messageLinks } from '../../shared/messages/message-links.ts';
import { AWS_CONNECTION } from '../../shared/runtime/aws-connection.ts';
import { systemClock as clock } from '../../shared/runtime/clock.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { createLogger, loggingFailure } from '../../shared/runtime/logger.ts';
import { createMeter } from '../../shared/runtime/metrics.ts';
import { createSecretsManagerReader } from '../../shared/runtime/secrets.ts';
import { openTable } from '../../shared/store/dynamodb-table.ts';
import { storesIn } from '../../shared/store/stores.ts';
import { sendDigest } from './digest.ts';
import { notifyPending } from './notify.ts';
import type { NotifyDeps } from './sweep.ts';
import { sendTestNotifications } from './test-notifications.ts';

const { TABLE_NAME, STAGE_NAME, PUBLIC_URL, SIGNING_SECRET } = readEnvironment({
  TABLE_NAME: z.string().min(1),
  STAGE_NAME: z.string().min(1),
  PUBLIC_URL: z.url(),
  SIGNING_SECRET: z.string().min(1),
});
const logger = createLogger('notify');
const meter = createMeter('notify');
const opened = openTable(TABLE_NAME, new DynamoDBClient(AWS_CONNECTION), clock);
const { testNotifications, ...stores } = storesIn(opened, logger, createMeter('table'));
const secrets = createSecretsManagerReader(clock);
const readSecret = (name: string) => secrets.readSecret(secretAt(STAGE_NAME)(name));
const deps: NotifyDeps = {
  ...stores,
  links: messageLinks(
    signedLinks(() => secrets.readSecret(SIGNING_SECRET), clock),
    PUBLIC_URL,
  ),
  channelFor: (config) => openChannel(config, { readSecret, stage: STAGE_NAME, clock, logger }),
  clock,
  logger,
  meter,
};

/** Called by the queue and by the schedule of each minute. Ignores the event: the table has what is pending. */
export const handler = () =>
  loggingFailure(logger, async () => {
    const tests = sendTestNotifications({ ...deps, testNotifications });
    const digest = sendDigest(deps);
    // Lambda freezes the process when the handler ends, so it also waits for the others if the alerts fail.
    await notifyPending(deps).finally(() => Promise.all([tests, digest]));
  });
