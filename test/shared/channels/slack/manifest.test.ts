import { expect, test } from 'vitest';
import * as z from 'zod';
import { slackManifest } from '../../../../shared/channels/slack/manifest.ts';

const text = (most: number) => z.string().min(1).max(most);
const url = (most: number) => z.url({ protocol: /^https$/ }).max(most);

/** The fields and limits of https://docs.slack.dev/reference/app-manifest, as far as the manifest uses them. */
const schema = z.strictObject({
  display_information: z.strictObject({ name: text(35), description: text(140) }),
  features: z.strictObject({
    bot_user: z.strictObject({ display_name: text(80), always_online: z.boolean() }),
    slash_commands: z
      .array(
        z.strictObject({
          command: text(32).regex(/^\/[a-z]+$/),
          url: url(3000),
          description: text(2000),
          usage_hint: text(1000),
        }),
      )
      .max(50),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: z.array(text(50)).max(255) }) }),
  settings: z.strictObject({
    interactivity: z.strictObject({ is_enabled: z.boolean(), request_url: url(3500) }),
  }),
});

test('the manifest has the fields and limits that Slack documents', () => {
  const manifest = slackManifest('https://alerts.example.com');
  expect(schema.parse(manifest)).toEqual(manifest);
  expect(manifest).toMatchInlineSnapshot(`
    {
      "display_information": {
        "description": "Alerts on analytics data",
        "name": "Deltawatch",
      },
      "features": {
        "bot_user": {
          "always_online": true,
          "display_name": "Deltawatch",
        },
        "slash_commands": [
          {
            "command": "/deltawatch",
            "description": "List, acknowledge, snooze and silence alerts",
            "url": "https://alerts.example.com/slack/commands",
            "usage_hint": "list | ack | snooze | silence | help",
          },
        ],
      },
      "oauth_config": {
        "scopes": {
          "bot": [
            "chat:write",
            "commands",
          ],
        },
      },
      "settings": {
        "interactivity": {
          "is_enabled": true,
          "request_url": "https://alerts.example.com/slack/interactions",
        },
      },
    }
  `);
});
