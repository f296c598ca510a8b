import { html } from 'hono/html';
import { attributeNames } from '../../../shared/contract/attributes.ts';
import type { Html } from '../../../shared/pages/html.ts';
import { METRICS } from '../../../shared/rules/metrics.ts';
import { EXPLORE, EXPLORE_FILTERS as FILTERS } from './explore-link.ts';

/** The fields of the form, as in the address: those of `exploreLink`, and a title. */
export type Asked = Readonly<Record<string, string>>;

/** Sentences by the fields that they are about. */
export type Faults = Readonly<Record<string, string>>;

/** What the form suggests. Values have the name of their attribute. */
export interface Known {
  apps: string[];
  events: string[];
  values: [value: string, attribute: string][];
}

export function exploreForm(asked: Asked, { apps, events, values }: Known, faults: Faults): Html {
  const fault = (name: string) => faults[name] && html`<span class="bad" role="alert">${faults[name]}</span>`;
  const input = (name: string, label: string, list = '', hint = '') =>
    html`<label>${label} <input name="${name}" value="${asked[name]}" list="${list}" placeholder="${hint}" maxlength="200" autocomplete="off" spellcheck="false">${fault(name)}</label>`;
  const select = (name: string, label: string, options: readonly string[]) =>
    html`<label>${label} <select name="${name}">${options.map((each) => html`<option value="${each}"${each === asked[name] && html` selected`}>${each.replaceAll('_', ' ')}</option>`)}</select>${fault(name)}</label>`;
  return html`<form class="panel" action="${EXPLORE}">
<div class="inputs">
${input('app', 'App', 'apps')}
${input('watch', 'Metric or event', 'watched', 'purchase, or purchase / view_item')}
${input('group', 'One series for each', 'attributes', 'device_country')}
${select('grain', 'Windows', ['day', 'hour'])}
${input('change', 'Fires on a change of', '', '-50%; empty: outside the usual range')}
${input('title', 'Title of the rule', '', 'from the above')}
</div>
<details${FILTERS.some((i) => asked[`attribute${i}`]) && html` open`}><summary>Filters</summary>
${FILTERS.map(
  (i) => html`<div class="inputs">
${input(`attribute${i}`, `Filter ${i}`, 'attributes', 'device_country')}
${select(`operator${i}`, `Operator ${i}`, OPERATOR_NAMES)}
${input(`value${i}`, `Value ${i}`, 'values')}
</div>`,
)}</details>
<button class="primary">Show</button>
${datalist('apps', apps.map(plain))}
${datalist('watched', [...events.map(plain), ...Object.entries(METRICS).map(([name, { unit }]) => [name, unit])])}
${datalist('attributes', attributeNames('event', 'groupsOn').map(plain))}
${datalist('values', values)}
</form>`;
}

const OPERATOR_NAMES = [
  'equal',
  'not_equal',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'has_any',
  'greater',
  'less',
];

const plain = (name: string) => [name, ''];

function datalist(id: string, options: readonly (readonly string[])[]): Html {
  return html`<datalist id="${id}">${options.map(([value, label]) => html`<option value="${value}">${label}</option>`)}</datalist>`;
}
