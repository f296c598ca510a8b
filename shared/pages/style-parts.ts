/** Styles of cards, lists, tables, charts and Slack messages. */
export const PARTS = `
.badge { display: inline-block; padding: .05rem .55rem; border-radius: 999px; font-size: .8125rem; font-weight: 600; white-space: nowrap; background: var(--plain-ground); }
.badge.bad { color: var(--bad); background: var(--bad-ground); }
.badge.warn { color: var(--warn); background: var(--warn-ground); }
.badge.good { color: var(--good); background: var(--good-ground); }
.bad { color: var(--bad); }
.segment { display: inline-block; padding: 0 .45rem; border: 1px solid var(--line); border-radius: 5px; font-size: .875rem; font-weight: 400; overflow-wrap: anywhere; background: var(--surface); }

.panel, .empty, .notice, .flash { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; }
.movement .from, .arrow { color: var(--quiet); }
.movement .unit { font-size: 1rem; }
td .movement .from, td .movement strong, td .change { white-space: nowrap; }
td .change { display: block; }
td .segment { max-width: 100%; }
td time, td q { overflow-wrap: anywhere; }
td .movement .unit { font-size: inherit; }
.change { font-weight: 600; }
.situation { margin: 1rem 0; padding: 1rem 1.25rem; background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--edge); border-radius: 10px; box-shadow: var(--shadow); }
.situation.firing { border-left-color: var(--bad); }
.situation.recovering, .situation.pending { border-left-color: var(--warn); }
.situation .movement { font-size: 2rem; margin-bottom: .25rem; }
.situation .change { font-size: 1.25rem; margin-left: .5rem; white-space: nowrap; }
.situation p:last-child { margin: 0; }
.todo { overflow-wrap: anywhere; }
.columns > * { min-width: 0; }
.empty { border-style: dashed; color: var(--quiet); margin-top: 1rem; }
.notice { border-left: 3px solid var(--bad); }
.flash { border-left: 3px solid var(--good); }
.flash.bad { border-left-color: var(--bad); color: inherit; }
.panel { margin: 1rem 0; }
.panel p { margin: 0 0 .5rem; }
.panel[aria-label="Progress"] p { display: flex; justify-content: space-between; gap: 1rem; }
.panel p:last-child { margin-bottom: 0; }
progress { width: 100%; height: .5rem; accent-color: var(--accent); }

.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem .75rem; margin: 1rem 0; }
.filters label { flex: 0 1 auto; min-width: 0; max-width: 100%; color: var(--quiet); font-size: .875rem; }
.filters label:has([type=search]) { flex: 1 1 9rem; max-width: 24rem; }
.filters select { max-width: 12rem; }
.filters input, .filters select { height: 2.3rem; }
.filters > a { padding: .35rem 0; }
.empty p, .empty ul { margin: 0 0 .25rem; }
.pager { display: flex; flex-wrap: wrap; justify-content: center; gap: 1.5rem; margin: 1rem 0; }
.inputs { display: grid; gap: .75rem 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); margin-bottom: 1rem; }
.choice { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .35rem; }
.answer .quiet { font-size: .875rem; }

table { width: 100%; border-collapse: separate; background: var(--surface); border: 1px solid var(--line); border-spacing: 0; border-radius: 10px; font-variant-numeric: tabular-nums; margin: 0 0 1rem; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .55rem .9rem; border-top: 1px solid var(--line); font-weight: 400; }
thead th { border: 0; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
tbody th { font-weight: 500; width: 28%; min-width: 11rem; overflow-wrap: anywhere; }
tbody tr:hover > * { background: color-mix(in srgb, var(--raised) 45%, transparent); }
.figure, .ago { white-space: nowrap; }
.ago { color: var(--quiet); }

.spark { display: block; width: 6rem; height: 1.5rem; overflow: visible; color: var(--quiet); }
.spark path { fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
.spark circle { fill: var(--bad); }

.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(46%, 16rem), 1fr)); list-style: none; padding: 0; }
.tiles li { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: .7rem .9rem; min-width: 0; overflow-wrap: anywhere; }
.tiles .spark { width: 100%; height: auto; margin: .35rem 0; }
.tiles .spark path { vector-effect: non-scaling-stroke; }
.tiles circle { r: 1.2px; }
.tiles .figure { font-size: 1.25rem; font-weight: 600; }
.to-answers { position: sticky; bottom: .75rem; text-align: center; }
form:not(:has(:checked)) > .to-answers { display: none; }
[type=checkbox] { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent); }
th [type=checkbox] { position: absolute; left: .9rem; top: .7rem; }

.facts { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.facts div { display: grid; grid-template-columns: 11rem 1fr; gap: 1rem; padding: .55rem .9rem; }
.facts div + div { border-top: 1px solid var(--line); }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.crumbs { margin: 0 0 .25rem; font-size: .9375rem; }

.gates { list-style: none; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.gates li { display: grid; grid-template-columns: 11rem 4rem 1fr; gap: 0 1rem; padding: .55rem .9rem; }
.gates li + li { border-top: 1px solid var(--line); }
.gates strong { font-weight: 500; }
.passed .outcome { color: var(--good); }
.stopped .outcome { color: var(--warn); font-weight: 600; }

.timeline { list-style: none; padding: 0 0 0 1.1rem; margin-left: .35rem; border-left: 2px solid var(--line); }
.timeline li { position: relative; padding: 0 0 1rem; }
.timeline li::before { content: ""; position: absolute; left: calc(-1.1rem - 6px); top: .45rem; width: 10px; height: 10px; border-radius: 50%; background: var(--surface); border: 2px solid var(--edge); }
.timeline .when { display: block; font-size: .875rem; color: var(--quiet); }
.timeline .what { overflow-wrap: anywhere; }

.chart { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; }
.chart > svg { display: block; width: 100%; max-width: 50rem; height: auto; margin: auto; }
.chart figcaption { margin-top: .5rem; font-size: .875rem; color: var(--quiet); overflow-wrap: anywhere; }
ol.notes { padding-left: 2rem; max-width: 46rem; }
.notes li { margin: 0 0 .35rem; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); margin: 0 0 .75rem; }

.messages { list-style: none; padding: 0; max-width: 46rem; }
.message { display: flex; gap: .75rem; padding: 1rem 0; border-bottom: 1px solid var(--line); }
.message article { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.message p, .message h2 { margin: 0 0 .5rem; }
.message h2 { font-size: 1.125rem; }
.avatar { border-radius: 6px; flex: none; }
.byline .app { font-size: .6875rem; font-weight: 600; padding: .05rem .3rem; border-radius: 3px; background: var(--plain-ground); color: var(--quiet); }
.channel { font-weight: 500; }
.context { font-size: .8125rem; color: var(--quiet); display: flex; flex-wrap: wrap; gap: .25rem .75rem; }
.picture { max-width: 100%; border-radius: 8px; }

@media (min-width: 66rem) {
  .columns { display: grid; grid-template: 'shown answers' auto 'evaluation answers' 1fr / minmax(0, 1fr) 21rem; gap: 0 2rem; align-items: start; }
  .shown { grid-area: shown; }
  .answers { grid-area: answers; }
  .evaluation { grid-area: evaluation; }
  .evaluation > section:first-child { margin-top: 2.5rem; }
  .shown > section:first-child, .answers > section:first-child { margin-top: 1rem; }
  .to-answer { display: none; }
}
#updated.flash { position: fixed; inset: auto 1rem 1rem auto; z-index: 1; }
@media (scripting: none) {
  .scripted { display: none; }
}
@media (min-width: 56rem) {
  td time { white-space: nowrap; }
  .alerts tbody th { width: 24%; position: relative; }
  .alerts:has([type=checkbox]) tr > :first-child { padding-left: 2.6rem; }
}
@supports selector(::details-content) {
  @media (min-width: 44rem) {
    .fold > summary { display: none; }
    .fold::details-content { content-visibility: visible; }
  }
}
@media (max-width: 44rem) {
  .situation .movement { font-size: 1.5rem; }
  .facts div { grid-template-columns: 1fr; gap: .1rem; }
  .gates li { grid-template-columns: 1fr auto; }
  .gates .detail { grid-column: 1 / -1; }
  .chart { padding: .75rem .5rem; }
  .filters label { flex: 1 1 9rem; }
  .filters select { max-width: none; }
}
@media (max-width: 56rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border: 0; }
  tbody th, tbody td { display: flex; gap: .75rem; padding: .2rem .9rem; border: 0; }
  tbody th { display: block; width: auto; min-width: 0; }
  tbody td > span { min-width: 0; overflow-wrap: anywhere; }
  tbody td[data-label]::before { content: attr(data-label); flex: 0 0 7rem; color: var(--quiet); font-size: .875rem; }
  .dense tbody tr { display: flex; flex-wrap: wrap; align-items: center; gap: .1rem .6rem; padding: .5rem .9rem; }
  .dense tbody :is(th, td) { display: block; padding: 0; }
  .dense tbody th { flex: 1 1 55%; }
  .alerts:has([type=checkbox]) tbody tr { position: relative; padding-left: 2.6rem; }
  .dense tbody td[data-label]::before { content: none; }
  .dense .spark { display: inline-block; vertical-align: middle; margin-right: .35rem; }
  .dense td .change { display: inline; }
  .alerts tbody :is(td:nth-child(5), td:nth-child(6)) { flex: 1 0 100%; font-size: .8125rem; }
  .alerts tbody td:nth-child(4) { order: -1; }
  .alerts tbody th, .rules tbody th { order: -1; }
  .rules tbody :is(td:nth-child(5), td:nth-child(6)) { display: none; }
  .rules tbody :is(td:nth-child(4), td:nth-child(7)) { font-size: .8125rem; color: var(--quiet); }
}
`;
