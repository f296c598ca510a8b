import { html } from 'hono/html';
import {
  ATTRIBUTES,
  type AttributeType,
  attributeNames,
  isAttributeName,
  type Resource,
} from '../../../shared/contract/attributes.ts';
import { OPERATORS } from '../../../shared/contract/filters.ts';
import { ATTRIBUTE_WORDS, OPERATOR_WORDS, VALUE_WORDS } from '../../../shared/contract/glossary.ts';
import { aggregationKey } from '../../../shared/contract/grouping.ts';
import { DEFAULT_AGGREGATION } from '../../../shared/contract/metrics.ts';
import { DOCUMENTED_ERRORS } from './errors.ts';
import { pascal } from './json-schema.ts';
import { metricRows } from './metric-schemas.ts';
import { type Cell, code, type Html, heading, prose, table } from './page-parts.ts';

const RESOURCES: readonly Resource[] = ['event', 'session', 'user', 'screen'];

const joined = (parts: readonly Cell[]): Html =>
  html`${parts.map((part, at) => html`${at > 0 ? ', ' : ''}${part}`)}`;

export function attributesSection(): Html {
  const names = Object.keys(ATTRIBUTES).filter(isAttributeName);
  const on = (use: 'filtersOn' | 'groupsOn', name: (typeof names)[number]) => {
    const resources = RESOURCES.filter((resource) => attributeNames(resource, use).includes(name));
    return resources.length === RESOURCES.length
      ? 'all'
      : resources.map((each) => `${each}s`).join(', ') || '–';
  };
  const rows = names.map((name) => [
    code(name),
    ATTRIBUTES[name].type,
    prose(`${ATTRIBUTE_WORDS[name]}${ATTRIBUTES[name].listOnly ? '; lists only' : ''}`),
    on('filtersOn', name),
    on('groupsOn', name),
  ]);
  return html`<section aria-labelledby="attributes">
${heading(2, 'attributes', 'Attributes')}
<p>The names to filter and group by.</p>
${table('Attributes', ['Attribute', 'Type', 'Meaning', 'Filters', 'Groups'], rows)}
</section>`;
}

export function operatorsSection(): Html {
  const byType = (Object.keys(OPERATORS) as AttributeType[]).map((type) => [
    type,
    prose(VALUE_WORDS[type]),
    joined(OPERATORS[type].map(code)),
  ]);
  const words = Object.entries(OPERATOR_WORDS).map(([name, means]) => [code(name), means]);
  return html`<section aria-labelledby="operators">
${heading(2, 'operators', 'Operators')}
<p>The type of an attribute determines its operators.</p>
${table('Operators by attribute type', ['Type', 'Value', 'Operators'], byType)}
${table('Meaning of each operator', ['Operator', 'The attribute'], words)}
</section>`;
}

export function metricsSection(): Html {
  return html`<section aria-labelledby="metrics">
${heading(2, 'metrics', 'Metrics')}
<p>${prose('A metric with operators is written as `{"attribute": "session_duration", "operator": "avg"}` or, in short, `{"attribute": "avg_session_duration"}`. Rows return it as `avg_session_duration`.')}</p>
${RESOURCES.map(metricsOf)}
</section>`;
}

function metricsOf(resource: Resource): Html {
  const defaults = DEFAULT_AGGREGATION[resource].map((aggregation) => code(aggregationKey(aggregation)));
  const rows = metricRows(resource).map(({ name, operators, words }) => [
    code(name),
    operators.length > 0 ? joined(operators.map(code)) : 'none',
    prose(words),
  ]);
  return html`${heading(3, `${resource}-metrics`, `${pascal(resource)} metrics`)}
<p>Default: ${joined(defaults)}.</p>
${table(`${pascal(resource)} metrics`, ['Metric', 'Operators', 'Meaning'], rows)}`;
}

export function errorsSection(): Html {
  const rows = DOCUMENTED_ERRORS.map(({ code: name, status, meaning }) => [
    code(name),
    String(status),
    prose(meaning),
  ]);
  return html`<section aria-labelledby="errors">
${heading(2, 'errors', 'Errors')}
<p>${prose('An error response states what is wrong, where, and what is accepted. The header `X-Request-Id` has the id of the request.')}</p>
${table('Error codes', ['Code', 'Status', 'Meaning'], rows)}
</section>`;
}
