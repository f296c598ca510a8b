export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="8" fill="#3d4fc4"/><path d="M18 8 28 27H8Z" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round"/></svg>`;

/** Every pair of text and ground has a contrast of at least 4.5 to 1, in both schemes. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --surface: #fff; --text: #191c22; --quiet: #565d69; --line: #dde1e7; --accent: #3548b8;
  --bad: #a3201a; --bad-ground: #fdebe9; --warn: #7a4a00; --warn-ground: #fdf1dc; --good: #1a6237; --good-ground: #e4f4ea;
  --plain-ground: #e9ecf1;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111318; --surface: #1a1d24; --text: #e8eaef; --quiet: #a5acba; --line: #313642; --accent: #a5b2ff;
    --bad: #ffa39b; --bad-ground: #401a18; --warn: #f3c46f; --warn-ground: #3b2c0e; --good: #8bdca7; --good-ground: #14331f;
    --plain-ground: #2a2f39;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--plain-ground); padding: .1em .35em; border-radius: 4px; }
p, ol, ul, dl, figure { margin: 0 0 1rem; }
h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
.quiet, .lead { color: var(--quiet); }
.quiet { font-size: .9375em; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--surface); padding: .5rem 1rem; z-index: 1; }

.top { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar, main { max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
.top .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0 2rem; }
.brand { display: flex; align-items: center; gap: .5rem; padding: .75rem 0; font-weight: 650; color: inherit; text-decoration: none; }
nav { display: flex; gap: 1.25rem; }
nav a { padding: .75rem 0; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; }
nav a:hover { color: var(--text); }
nav a[aria-current] { color: var(--text); border-color: var(--accent); font-weight: 600; }
main { padding-top: 2rem; padding-bottom: 1rem; }
footer.bar { padding-top: 1rem; padding-bottom: 2rem; }
section { margin-top: 2.5rem; }

.badge { display: inline-block; padding: .05rem .55rem; border-radius: 999px; font-size: .8125rem; font-weight: 600; white-space: nowrap; background: var(--plain-ground); }
.badge.bad { color: var(--bad); background: var(--bad-ground); }
.badge.warn { color: var(--warn); background: var(--warn-ground); }
.badge.good { color: var(--good); background: var(--good-ground); }
.segment { display: inline-block; padding: 0 .45rem; border: 1px solid var(--line); border-radius: 5px; font-size: .875rem; font-weight: 400; overflow-wrap: anywhere; background: var(--surface); }

.cards { list-style: none; padding: 0; margin: 1.5rem 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
.card, .panel, .empty, .notice { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; }
.card { border-top: 3px solid var(--bad); }
.card.recovering { border-top-color: var(--warn); }
.card p { margin: 0 0 .5rem; }
.card p:last-child { margin: 0; }
.card h2 { margin: 0 0 .5rem; font-size: 1.0625rem; }
.card h2 a { color: inherit; }
.movement { font-size: 1.5rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.movement .from, .arrow { color: var(--quiet); }
.movement .unit { font-size: 1rem; }
.change { font-weight: 600; }
.change .quiet { font-weight: 400; }
.empty { border-style: dashed; color: var(--quiet); margin-top: 1rem; }
.notice { border-left: 3px solid var(--bad); }
.panel { margin: 1rem 0; }
.panel p { margin: 0 0 .5rem; display: flex; justify-content: space-between; gap: 1rem; }
.panel p:last-child { margin-bottom: 0; }
progress { width: 100%; height: .5rem; accent-color: var(--accent); }
.lines { list-style: none; padding: 0; }
.lines li { padding: .6rem 0; border-bottom: 1px solid var(--line); }
.lines .line { display: block; }

table { width: 100%; border-collapse: separate; background: var(--surface); border: 1px solid var(--line); border-spacing: 0; border-radius: 10px; font-variant-numeric: tabular-nums; margin: 0 0 1rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: .6rem .9rem; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border: 0; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
tbody th { font-weight: 500; min-width: 11rem; overflow-wrap: anywhere; }
.figure, .ago { white-space: nowrap; }
.ago { color: var(--quiet); }

.facts { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.facts div { display: grid; grid-template-columns: 11rem 1fr; gap: 1rem; padding: .6rem .9rem; }
.facts div + div { border-top: 1px solid var(--line); }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.crumbs { margin: 0 0 .25rem; font-size: .9375rem; }

.gates { list-style: none; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.gates li { display: grid; grid-template-columns: 11rem 4rem 1fr; gap: 0 1rem; padding: .6rem .9rem; }
.gates li + li { border-top: 1px solid var(--line); }
.gates strong { font-weight: 500; }
.passed .outcome { color: var(--good); }
.stopped .outcome { color: var(--warn); font-weight: 600; }

.chart { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; }
.chart svg { display: block; width: 100%; height: auto; }
.chart text { font-size: 10px; fill: var(--quiet); }
.chart .end { text-anchor: end; }
.chart .middle { text-anchor: middle; }
.chart .grid { stroke: var(--line); }
.chart path { fill: none; stroke: var(--accent); stroke-width: 2.25; stroke-linejoin: round; stroke-linecap: round; }
.chart .baseline { stroke: var(--quiet); stroke-width: 1.5; stroke-dasharray: 5 4; }
.chart rect { fill: var(--bad); opacity: .18; }
.chart circle { fill: var(--bad); stroke: var(--surface); stroke-width: 1.5; }
.chart figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; font-size: .875rem; color: var(--quiet); }
.key::before { content: ""; display: inline-block; width: 1.25rem; margin-right: .4rem; vertical-align: middle; border-top: 2px solid var(--accent); }
.key.dashed::before { border-top: 2px dashed var(--quiet); }
.key.band::before { height: .75rem; border: 0; background: color-mix(in srgb, var(--bad) 25%, transparent); }
summary { cursor: pointer; color: var(--accent); margin: 0 0 .75rem; }

.messages { list-style: none; padding: 0; max-width: 46rem; }
.message { display: flex; gap: .75rem; padding: 1rem 0; border-bottom: 1px solid var(--line); }
.message article { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.message p, .message h2 { margin: 0 0 .5rem; }
.message h2 { font-size: 1.125rem; }
.avatar { border-radius: 6px; flex: none; }
.byline .app { font-size: .6875rem; font-weight: 600; padding: .05rem .3rem; border-radius: 3px; background: var(--plain-ground); color: var(--quiet); }
.channel { font-weight: 500; }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: .25rem 1.5rem; }
.context { font-size: .8125rem; color: var(--quiet); display: flex; flex-wrap: wrap; gap: .25rem .75rem; }
.message hr { border: 0; border-top: 1px solid var(--line); }
.picture { max-width: 100%; border-radius: 8px; }

@media (max-width: 44rem) {
  h1 { font-size: 1.5rem; }
  .top .bar { gap: 0 1.25rem; }
  .fields, .facts div { grid-template-columns: 1fr; gap: .1rem; }
  .gates li { grid-template-columns: 1fr auto; }
  .gates .detail { grid-column: 1 / -1; }
  .chart { padding: .75rem .5rem; }
  .chart text { font-size: 21px; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border: 0; }
  tbody th, tbody td { display: flex; gap: .75rem; padding: .2rem .9rem; border: 0; }
  tbody th { display: block; }
  tbody td::before { content: attr(data-label); flex: 0 0 7rem; color: var(--quiet); font-size: .875rem; }
}
`;
