/** The manifest of the Slack app of a page: https://docs.slack.dev/reference/app-manifest. */
export function slackManifest(pageUrl: string) {
  return {
    display_information: { name: 'Deltawatch', description: 'Alerts on analytics data' },
    features: {
      bot_user: { display_name: 'Deltawatch', always_online: true },
      slash_commands: [
        {
          ...{ command: '/deltawatch', url: `${pageUrl}/slack/commands` },
          description: 'List, acknowledge, snooze and silence alerts',
          usage_hint: 'list | ack | snooze | silence | help',
        },
      ],
    },
    oauth_config: { scopes: { bot: ['chat:write', 'commands'] } },
    settings: { interactivity: { is_enabled: true, request_url: `${pageUrl}/slack/interactions` } },
  };
}
