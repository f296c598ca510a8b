import { expect, test } from 'vitest';
import { secretAt } from '../../../shared/channels/kind.ts';
import { channelSchema } from '../../../shared/channels/kinds.ts';

test.each([
  ['deltawatch/$STAGE/slack-growth', 'deltawatch/staging/slack-growth', 'slack-growth'],
  ['team/$STAGE/slack/growth', 'team/staging/slack/growth', 'slack/growth'],
  ['slack-growth', 'slack-growth', 'slack-growth'],
  ['deltawatch/STAGE/slack', 'deltawatch/STAGE/slack', 'deltawatch/STAGE/slack'],
])('%s is %s of the stage staging, and %s on this machine', (name, atStage, here) => {
  expect(secretAt('staging')(name)).toBe(atStage);
  expect(secretAt(null)(name)).toBe(here);
});

test.each(['deltawatch/$stage/slack', 'slack-$STAGE', '$STAGE/$STAGE/slack', '$STAGE/'])(
  'the secret %s is refused, with the right form',
  (name) => {
    const parsed = channelSchema.safeParse({ slack: { webhook_secret: name } });
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([
      'write "$STAGE/" for the name of the stage, such as "deltawatch/$STAGE/slack"',
    ]);
  },
);
