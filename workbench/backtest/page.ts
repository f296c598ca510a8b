import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Html } from '../../shared/pages/html.ts';
import { ICON, STYLE } from '../../shared/pages/style.ts';
import type { Backtest } from './backtest.ts';
import type { Label } from './label.ts';
import { ruleSection } from './page-rules.ts';
import type { Plots } from './plots.ts';
import { callsText, hitsText, spanWords, totalsText } from './report-text.ts';

export interface PageParts {
  backtest: Backtest;
  plots: Plots;
  labels: Label[];
  /** Source of the figures. */
  figures: string;
}

/** Rules with charts: more would make the page too large. */
const DRAWN = 60;

/** Styles of this page only: long names wrap. */
const OWN_STYLE = `
.rule { border-top: 1px solid var(--line); padding-top: 1.5rem; }
.rule h2 { overflow-wrap: anywhere; }
.rule figure { margin: 0 0 1rem; }
.rule figcaption { overflow-wrap: anywhere; }
`;

/** The report as one self-contained page. */
export async function pageOf(parts: PageParts): Promise<string> {
  const { backtest, figures } = parts;
  const { statistics, notes, calls } = backtest;
  const drawn = statistics.rules.slice(0, DRAWN);
  const sections: Html[] = [];
  // Sequential, because each chart is large in memory.
  for (const each of drawn)
    sections.push(await ruleSection(each, { ...parts, answers: statistics.labelled?.answers }));
  const left = statistics.rules.length - drawn.length;
  const body = html`<h1>Backtest</h1>
<p class="lead">How the rules would have fired in ${spanWords(statistics.span)}, on ${figures}: ${totalsText(statistics)}.</p>
${statistics.labelled && html`<p>${hitsText(statistics.labelled.hits)}.</p>`}
<section aria-labelledby="notes"><h2 id="notes">How to read this</h2><ul>${notes.map((note) => html`<li>${note}</li>`)}<li>${callsText(calls)}.</li></ul></section>
${sections}
${left > 0 && html`<p class="quiet">${left} more rules with fewer alerts have no chart.</p>`}`;
  return `${await frame(body)}\n`;
}

function frame(body: Html): Html {
  const style = STYLE + OWN_STYLE;
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
  const icon = `data:image/svg+xml;base64,${Buffer.from(ICON).toString('base64')}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Backtest · Deltawatch</title>
<link rel="icon" href="${icon}">
<style>${raw(style)}</style>
</head>
<body>
<header class="top"><div class="bar"><span class="brand"><img src="${icon}" alt="" width="24" height="24">Deltawatch</span></div></header>
<main id="main">
${body}
</main>
</body>
</html>`;
}
