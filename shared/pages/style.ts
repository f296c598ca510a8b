import { PARTS } from './style-parts.ts';

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="8" fill="#3d4fc4"/><path d="M18 8 28 27H8Z" fill="none" stroke="#fff" stroke-width="3" stroke-linejoin="round"/></svg>`;

/** Text has a contrast of at least 4.5 to 1 in both colour schemes. */
const FRAME = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --surface: #fff; --raised: #f0f2f5; --text: #191c22; --quiet: #565d69; --line: #dde1e7; --edge: #808896; --accent: #3548b8; --on-accent: #fff;
  --bad: #a3201a; --bad-ground: #fdebe9; --warn: #7a4a00; --warn-ground: #fdf1dc; --good: #1a6237; --good-ground: #e4f4ea;
  --plain-ground: #e9ecf1;
  --shadow: 0 1px 2px rgb(20 25 40 / .05), 0 2px 8px rgb(20 25 40 / .04);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101217; --surface: #191c23; --raised: #22262f; --text: #e8eaef; --quiet: #a5acba; --line: #2e333e; --edge: #7d8696; --accent: #a5b2ff; --on-accent: #12162b;
    --bad: #ffa39b; --bad-ground: #401a18; --warn: #f3c46f; --warn-ground: #3b2c0e; --good: #8bdca7; --good-ground: #14331f;
    --plain-ground: #2a2f39;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: .15em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
code { font: .875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--plain-ground); padding: .1em .35em; border-radius: 4px; }
pre { margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { display: block; padding: .6rem .9rem; }
p, ol, ul, dl, figure { margin: 0 0 1rem; }
h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 .5rem; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
q { quotes: "“" "”"; }
.quiet, .lead { color: var(--quiet); }
.quiet { font-size: .9375em; }
.lead { max-width: 46rem; }
.hidden, caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--surface); padding: .5rem 1rem; z-index: 1; }

.top { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar, main { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
.top .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0 2rem; }
.brand { display: flex; align-items: center; gap: .5rem; padding: .75rem 0; font-weight: 650; color: inherit; text-decoration: none; }
.menu { display: flex; gap: 1.25rem; overflow-x: auto; scrollbar-width: none; }
.menu a { padding: .75rem 0; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; white-space: nowrap; }
.menu a:hover { color: var(--text); }
.menu a:focus-visible { outline-offset: -2px; }
.menu a[aria-current] { color: var(--text); border-color: var(--accent); font-weight: 600; }
main { padding-top: 2rem; padding-bottom: 1rem; }
footer.bar { padding-top: 1rem; padding-bottom: 2rem; }
footer > form { float: right; }
footer > button { font-size: .875rem; font-weight: 400; padding: .05rem .5rem; }
dialog { color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 10px; max-width: 34rem; }
::backdrop { background: rgb(0 0 0 / .5); }
section { margin-top: 2.5rem; }

input, select, button, textarea { font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 6px; padding: .35rem .6rem; }
button { cursor: pointer; font-weight: 550; }
button:hover { background: var(--raised); }
button.primary, .button { color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); }
button.primary:hover, .button:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
.button { display: inline-block; border-radius: 6px; padding: .35rem .8rem; font-weight: 550; text-decoration: none; }
label > input:not([type=checkbox]), label > select, label > textarea { display: block; width: 100%; margin-top: .2rem; }
textarea { font: .875rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; margin-bottom: .5rem; white-space: pre; }
fieldset { border: 0; padding: 0; margin: 1.25rem 0 0; }
legend { padding: 0; font-weight: 600; margin-bottom: .35rem; }

@media (max-width: 52rem) {
  h1 { font-size: 1.5rem; }
  main { padding-top: 1.25rem; }
  .top .bar { gap: 0 1rem; }
  .menu { order: 3; width: 100%; flex-wrap: wrap; gap: 0 1.1rem; padding-bottom: .3rem; }
  .menu a { padding: .3rem 0; }
}
`;

export const STYLE = FRAME + PARTS;
