/** The manifest of the Slack app of a page: https://docs.slack.dev/reference/app-manifest. */
export function slackManifest(pageUrl: string) {
  const command = {
    ...{ command: '/deltawatch', url: `${pageUrl}/slack/commands` },
    description: 'List, acknowledge, snooze and silence alerts',
    usage_hint: 'list | ack | snooze | silence | help',
  };
  return {
    display_information: { name: 'Deltawatch', description: 'Alerts on analytics data' },
    features: {
      bot_user: { display_name: 'Deltawatch', always_online: true },
      slash_commands: [command],
    },
    oauth_config: { scopes: { bot: ['chat:write', 'commands'] } },
    settings: { interactivity: { is_enabled: true, request_url: `${pageUrl}/slack/interactions` } },
  };
}

/** Slack's form for a new app, with the manifest filled in. */
export function newAppLink(manifest: ReturnType<typeof slackManifest>): string {
  const json = encodeURIComponent(JSON.stringify(manifest));
  return `https://api.slack.com/apps?new_app=1&manifest_json=${json}`;
}
