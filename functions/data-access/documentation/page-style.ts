export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="8" fill="#3d4fc4"/><path d="M18 8 28 27H8Z" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round"/></svg>`;

/** Text has a contrast of at least 4.5 to 1 in both colour schemes. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --surface: #fff; --text: #191c22; --quiet: #565d69; --line: #dde1e7; --accent: #3548b8;
  --good: #1a6237; --good-ground: #e4f4ea; --plain-ground: #e9ecf1;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; scroll-padding-top: 1rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #111318; --surface: #1a1d24; --text: #e8eaef; --quiet: #a5acba; --line: #313642; --accent: #a5b2ff;
    --good: #8bdca7; --good-ground: #14331f; --plain-ground: #2a2f39;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--plain-ground); padding: .1em .35em; border-radius: 4px; overflow-wrap: anywhere; }
p, ul { margin: 0 0 1rem; }
main p { max-width: 46rem; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 .5rem; }
h2 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; margin: 0 0 .75rem; }
h3 { font-size: 1.1rem; line-height: 1.35; margin: 2rem 0 .5rem; }
.lead { color: var(--quiet); font-size: 1.0625rem; }
.quiet { color: var(--quiet); font-size: .8125em; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--surface); padding: .5rem 1rem; z-index: 1; }
.mark { color: var(--quiet); text-decoration: none; font-weight: 400; opacity: 0; }
:is(h2, h3):hover .mark, .mark:focus { opacity: 1; }

.frame { max-width: 82rem; margin: 0 auto; display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 0 3.5rem; padding: 0 1.5rem; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.5rem .5rem 2rem 0; font-size: .9375rem; }
nav ul { list-style: none; padding: 0; margin: 0 0 1rem; }
nav li { padding: .125rem 0; }
nav a { color: var(--text); text-decoration: none; }
nav a:hover { color: var(--accent); text-decoration: underline; }
.brand { display: flex; align-items: center; gap: .5rem; font-weight: 650; margin: 0 0 1.25rem; }
.group, .group a { margin: 0 0 .125rem; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
main { padding: 2rem 0 4rem; min-width: 0; }
section { margin-top: 3rem; }
section.topic { margin-top: 2.25rem; }
.topic h2 { font-size: 1.25rem; margin-bottom: .5rem; }
section:not(.topic) > h2 { padding-top: 1.5rem; border-top: 1px solid var(--line); }

.endpoint { margin: 1.25rem 0; padding: 1.25rem 1.5rem .5rem; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.endpoint h3 { margin-top: 0; }
.address { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .6rem; margin-bottom: .75rem; }
.method, .badge { display: inline-block; padding: .05rem .55rem; border-radius: 999px; font-size: .75rem; font-weight: 650; background: var(--plain-ground); color: var(--quiet); }
.method.post { color: var(--good); background: var(--good-ground); }
details { border-top: 1px solid var(--line); margin: 0; padding: .6rem 0; }
summary { cursor: pointer; font-weight: 500; }
details[open] summary { margin-bottom: .6rem; }
pre { margin: 0 0 .75rem; padding: .8rem 1rem; overflow-x: auto; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; font-size: .9375rem; line-height: 1.4; }
pre code { background: none; padding: 0; line-height: inherit; overflow-wrap: normal; }

table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; margin: 0 0 1.25rem; font-size: .9375rem; }
.endpoint table { border-width: 1px 0; border-radius: 0; margin-bottom: 0; }
.endpoint .quiet { margin: 0 0 .35rem; }
.endpoint details { border-top: 0; border-bottom: 1px solid var(--line); }
.endpoint details:last-child { border-bottom: 0; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem; border-top: 1px solid var(--line); font-weight: 400; }
.endpoint :is(th, td):first-child { padding-left: 0; }
@media (min-width: 44.01rem) { .endpoint td:nth-child(2) { min-width: 9.5rem; } }
thead th { border: 0; font-size: .8125rem; font-weight: 600; color: var(--quiet); }
th code { white-space: nowrap; }
td { overflow-wrap: break-word; }

@media (max-width: 60rem) {
  .frame { display: block; padding: 0 1rem; }
  nav { position: static; max-height: none; padding: 1rem 0; border-bottom: 1px solid var(--line); columns: 2; column-gap: 1.5rem; }
  nav ul, nav .group { break-inside: avoid; }
  nav .group { break-after: avoid; }
  .brand { column-span: all; }
}
@media (max-width: 44rem) {
  h1 { font-size: 1.625rem; }
  .endpoint { padding: 1rem 1rem .25rem; }
  th code { white-space: normal; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { display: block; padding: .5rem 0; border-top: 1px solid var(--line); }
  tbody tr:first-child { border: 0; }
  tbody th, tbody td { display: flex; gap: .75rem; padding: .15rem .9rem; border: 0; }
  tbody td:not(:has(span:not(:empty))) { display: none; }
  tbody td::before { content: attr(data-label); flex: 0 0 5.5rem; color: var(--quiet); font-size: .8125rem; padding-top: .1rem; }
  .endpoint :is(th, td) { padding-left: 0; padding-right: 0; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
