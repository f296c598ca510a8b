import { Hono } from 'hono';
import type { AlertKey } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { pngOf } from '../../shared/charts/png.ts';
import type { RuleStore } from '../../shared/deployments/rule-store.ts';
import type { Chart } from '../../shared/messages/chart.ts';
import type { LinkSigner } from '../../shared/messages/link-purposes.ts';
import { type ChartDeps, loadChart } from '../../shared/responding/charts.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';

export interface PictureDeps extends ChartDeps {
  rules: Pick<RuleStore, 'loadCurrent'>;
  alerts: Pick<AlertStore, 'load' | 'loadOfRule'>;
}

/** The chart up to the window that ends at `throughAt`. `undefined` if it has no rule, no figures or no readings. */
export async function pictureOf(
  { ruleId, segment, throughAt }: AlertKey & { throughAt: number },
  { rules, alerts, ...deps }: PictureDeps,
): Promise<Chart | undefined> {
  const ruleSet = await rules.loadCurrent({ ids: new Set([ruleId]) });
  const rule = ruleSet?.rules.find(({ id }) => id === ruleId);
  if (!rule || rule.members) return undefined;
  const [alert] = await alerts.load([{ ruleId, segment }]);
  return loadChart({ rule, segment, throughAt }, alert, { alerts, ...deps });
}

interface PictureLinkDeps extends PictureDeps {
  signer: LinkSigner;
  clock: Clock;
  logger: Logger;
}

/** The chart images of messages. A chart does not change while its link is valid. */
export function pictureLinks(deps: PictureLinkDeps): Hono {
  const { signer, clock, logger } = deps;
  const app = new Hono();
  app.get('/:file', async (c) => {
    const verified = await signer.verify('picture', c.req.param('file').replace(/\.png$/, ''));
    if (verified.kind !== 'valid') return c.body(null, verified.kind === 'expired' ? 410 : 404);
    const seconds = Math.max(0, Math.floor((verified.expiresAt - clock.now()) / 1000));
    try {
      const chart = await pictureOf(verified.claims, deps);
      if (!chart) return c.body(null, 404);
      const kept = { 'Content-Type': 'image/png', 'Cache-Control': `private, max-age=${seconds}, immutable` };
      return c.body(Uint8Array.from(await pngOf(chart)), 200, kept);
    } catch (error) {
      // The cause is for the log, not for readers of the message.
      logger.error('a chart could not be rendered', { error });
      return c.body(null, 500);
    }
  });
  return app;
}
