import { notifyPending } from '../functions/notify/notify.ts';
import { silentMeter, terminalLogger } from '../local/terminal.ts';
import { signedLinks } from '../shared/access/signed-links.ts';
import { type ChannelConfig, secretsOf } from '../shared/channels/kinds.ts';
import type { Channel } from '../shared/messages/channel.ts';
import { messageLinks } from '../shared/messages/message-links.ts';
import { openSqliteTable } from '../shared/store/sqlite-table.ts';
import { storesIn } from '../shared/store/stores.ts';
import { clock, type Sweeps } from './notify-run.ts';

const MAX_SWEEPS = 5;

// A child process that sends what is pending in the table of each file that it is given, like the function notify.
process.on('message', async (message) => {
  process.send?.(await sweep(String(message)));
});

async function sweep(path: string): Promise<Sweeps> {
  const table = openSqliteTable(path, clock);
  const stores = storesIn(table, terminalLogger);
  const sent: Sweeps['sent'] = [];
  const recordingChannel = (channel: string): Channel => ({
    send: async ({ items }) => {
      sent.push({ channel, ruleIds: items.map(({ ruleId }) => ruleId) });
      return { kind: 'sent' };
    },
  });
  const deps = {
    ...stores,
    channelFor: async (config: ChannelConfig) => recordingChannel(secretsOf(config)[0]?.name ?? ''),
    links: messageLinks(
      signedLinks(async () => 'k'.repeat(43), clock),
      'https://bench.invalid',
    ),
    clock,
    logger: terminalLogger,
    meter: silentMeter,
  };
  const pending = async () => (await stores.alerts.loadPending(clock.now())).length;
  const found = await pending();
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  let sweeps = 0;
  let left = found;
  for (; left > 0 && sweeps < MAX_SWEEPS; sweeps++) {
    await notifyPending(deps);
    left = await pending();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  table.close();
  const residentMb = Math.round(process.resourceUsage().maxRSS / 1024);
  return { sent, found, left, seconds, sweeps, cpuSeconds: (user + system) / 1e6, residentMb };
}
