import type { Context } from 'hono';
import { html } from 'hono/html';
import * as z from 'zod';
import { segmentTag } from '../../functions/respond/page/alert-parts.ts';
import {
  type Asked,
  exploreForm,
  type Faults,
  type Known,
} from '../../functions/respond/page/explore-form.ts';
import { EXPLORE } from '../../functions/respond/page/explore-link.ts';
import { messageView, type Section, withNotice } from '../../functions/respond/page/layout.ts';
import { loadFigure } from '../../functions/respond/page/series-section.ts';
import { syncRules } from '../../functions/sync-rules/sync-rules.ts';
import { stretchesOf } from '../../local/replay/range-questions.ts';
import type { ExploreParts } from '../../local/site.ts';
import { lastRuns } from '../../local/system.ts';
import { terminalLogger as logger } from '../../local/terminal.ts';
import { MAX_ROWS } from '../../shared/contract/grouping.ts';
import { bySize } from '../../shared/messages/chart-series.ts';
import { rulePath } from '../../shared/messages/page-paths.ts';
import type { Html, View } from '../../shared/pages/html.ts';
import { seriesOf } from '../../shared/readings/series.ts';
import { seriesIn } from '../../shared/responding/charts.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { isExplained, UpstreamError } from '../../shared/runtime/errors.ts';
import { inMemoryStores } from '../../shared/store/in-memory/stores.ts';
import { slug } from '../../shared/text/text-schemas.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { type BacktestReport, backtest } from '../backtest/backtest.ts';
import { openText, spanWords, totalsText } from '../backtest/report-text.ts';
import type { Fire } from '../backtest/series-log.ts';
import { type SeenBy, seenBy } from '../live-check/known-values.ts';
import { liveFindings } from '../live-check/live-findings.ts';
import { faultsByField, ruleIn } from './asked-rule.ts';
import { filesOf, proposalUrl, type RuleFiles, type RuleFolder, writeRule } from './rule-files.ts';

/** The latest fires that are listed. */
const SHOWN = 20;
/** Days in which a rule is tried. */
const DAYS = 60;
/** Older data is not found. */
const OLDEST_DAYS = 1000;
/** One answer keeps a core busy for this time at most. */
const LIMIT_MS = 20_000;
const TOO_MUCH = `This takes longer than ${LIMIT_MS / 1000} seconds: choose days, a change, fewer groups or more filters.`;

const TOO_MANY = 'This group has too many values for so many windows: choose days, or another group.';

/** A form sends lines as CR LF. */
const lines = z.string().transform((text) => text.replaceAll('\r\n', '\n'));
const writtenSchema = z.object({ id: slug, rule: lines, test: lines });

/** The section that tries a rule on the past, and writes it to the folder. */
export function exploreSection(folder: RuleFolder) {
  return (parts: ExploreParts): Section => ({
    ...{ path: EXPLORE, name: 'Explore' },
    view: (zone, c) => answered(zone, c, parts, folder),
    async submit({ isKnown, name }, c) {
      const { system, clock } = parts;
      const asked = writtenSchema.safeParse(await c.req.parseBody());
      if (!asked.success) return withNotice(EXPLORE, 'invalid');
      const { id } = asked.data;
      let [title, hint] = ['The rule is not written', 'Go back to change it.'];
      try {
        const ruleSet = await writeRule(asked.data, folder);
        [title, hint] = ['The rule is written, but does not run yet', 'Restart Deltawatch.'];
        await syncRules(ruleSet, { ...system, clock, logger }, { by: isKnown ? name : null, how: 'page' });
        const isNew = (rule: { id: string }) => rule.id === id;
        for (const run of lastRuns(ruleSet.rules.filter(isNew), clock.now()))
          await system.tick(run.cadence, run.at, isNew);
        return withNotice(rulePath(id), 'written');
      } catch (error) {
        if (!isExplained(error)) throw error;
        return messageView(title, error.message, hint);
      }
    },
  });
}

async function answered(zone: string, c: Context, parts: ExploreParts, folder: RuleFolder): Promise<View> {
  const { system, clock, openFigures, isLive } = parts;
  if (!isLive()) return { ...messageView('Explore', 'Deltawatch still reads the past.'), refreshSeconds: 2 };
  const { rules, routes } = (await system.rules.loadCurrent()) ?? (await folder.read());
  const apps = [...new Set(rules.map((rule) => rule.app))];
  const app = c.req.query('app') || (apps[0] ?? '');
  const asked: Asked = { grain: 'day', ...c.req.query(), app };
  const known: Known = { apps, events: [], values: [] };
  const show = (answer: Html | string = '', faults: Faults = {}): View => ({
    title: 'Explore',
    body: html`<h1>Explore</h1>
<p class="lead">Choose a figure to see when a rule on it would have fired, then make the rule.</p>
${exploreForm(asked, known, faults)}
${typeof answer === 'string' && answer !== '' ? html`<p class="notice" role="status">${answer}</p>` : answer}`,
  });
  const { sourceFor, close } = openFigures();
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const now = clock.now();
    const newest = await sourceFor(app).readNewestEventAt(app, now - OLDEST_DAYS * DAY_MS);
    if (newest.kind !== 'read') return show(newest.reason);
    if (newest.value === null) return show(`There is no data of ${app}.`);
    const endAt = Math.min(newest.value + 1, now);
    const seen = seenBy({ sourceFor, now: endAt });
    known.events.push(...((await seen(app, 'event_name', zone)) ?? []));
    for (const attribute of ['device_country', 'device_platform', 'app_version'] as const)
      for (const value of (await seen(app, attribute, zone)) ?? []) known.values.push([value, attribute]);
    if (!asked.watch) return show();
    const question = ruleIn(asked, rules, known.events);
    if ('faults' in question) return show('', question.faults);
    const { rule } = question;
    if (await hasTooManyRows(rule, endAt, seen)) return show('', { group: TOO_MANY });
    const faults = faultsByField(await liveFindings([rule], { sourceFor, now: endAt }), asked);
    const stores = inMemoryStores();
    const report = await backtest({
      ...{ ruleSet: { version: '', rules: [rule], routes }, sourceFor, stores, signal },
      ...{ span: { startAt: endAt - DAYS * DAY_MS, endAt }, clock: new ManualClock(endAt) },
    });
    const alerts = seriesIn(rule, await stores.alerts.loadOfRule(rule.id));
    const wantedSegment = asked.segment ?? report.rules[0]?.fires.at(-1)?.segment;
    const alert = alerts.find(({ segment }) => segment === wantedSegment) ?? bySize(alerts)[0];
    const [chosen, query] = [alert ? [alert] : [], new URLSearchParams(asked)];
    const figure = await loadFigure(rule, { chosen, query, isTried: true }, endAt, stores);
    const drawn = figure?.drawn ?? html`<p class="empty">No window has a value.</p>`;
    const of = alert?.segment != null && html` ${segmentTag(alert.segment, asked.group)}`;
    const answer = html`<section id="series"><h2>${rule.title}${of}</h2>${drawn}</section>
${firesSection(report, asked)}
${makeSection(filesOf(question), folder)}`;
    return show(answer, faults);
  } catch (error) {
    if (error === signal.reason) return show(TOO_MUCH);
    if (error instanceof UpstreamError)
      return show(`${error.message}.${asked.grain === 'hour' ? ' Days need fewer calls than hours.' : ''}`);
    throw error;
  } finally {
    close();
  }
}

/** Whether the past has more rows than an answer holds: reading it would take hundreds of calls. */
async function hasTooManyRows(rule: FigureRule, endAt: number, seen: SeenBy): Promise<boolean> {
  const { segmentBy, thenBy } = seriesOf(rule);
  let rows = stretchesOf([rule], endAt - DAYS * DAY_MS, endAt)[0]?.windows.length ?? 0;
  for (const by of [segmentBy, thenBy])
    if (by) rows *= (await seen(rule.app, by.attribute, rule.zone))?.length ?? 1;
  return rows > MAX_ROWS;
}

function firesSection(report: BacktestReport, asked: Asked): Html {
  const fires = report.rules.flatMap((rule) => rule.fires).toReversed();
  const linked = ({ segment, text }: Fire) =>
    segment === null ? text : html`<a href="?${new URLSearchParams({ ...asked, segment })}">${text}</a>`;
  const isKnown = report.rules.some(({ evaluatedMs }) => evaluatedMs > 0);
  const none = isKnown ? 'It would not have fired' : 'It could not be evaluated';
  return html`<section id="fires"><h2>${fires.length === 0 ? none : 'When it would have fired'}</h2>
<p>${totalsText(report)}, in ${spanWords(report)}.</p>
<ul>${fires.slice(0, SHOWN).map((fire) => html`<li>${linked(fire)}, ${openText(fire)}</li>`)}</ul>
${fires.length > SHOWN && html`<p class="quiet">${fires.length - SHOWN} earlier ones are not shown.</p>`}
${report.notes.map((note) => html`<p class="quiet">${note}</p>`)}</section>`;
}

function makeSection(files: RuleFiles, folder: RuleFolder): Html {
  const area = (name: 'rule' | 'test', label: string) =>
    html`<p><label>${label} <textarea name="${name}" rows="${files[name].split('\n').length}" spellcheck="false">${files[name]}</textarea></label></p>`;
  const proposal = proposalUrl(files, folder);
  return html`<section id="make"><h2>Make a rule</h2>
<form method="post" action="${EXPLORE}">
<input type="hidden" name="id" value="${files.id}">
${area('rule', 'The rule')}
${area('test', 'Its test')}
<p><button class="primary">Write to ${folder.dir}/${files.id}.yaml</button>${proposal && html` <a href="${proposal}" rel="noreferrer">Propose it in the repository</a>`}</p>
<p class="quiet">Writing deploys the folder, with its other changes.</p>
</form></section>`;
}
