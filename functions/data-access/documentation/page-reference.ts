import { html } from 'hono/html';
import {
  ATTRIBUTES,
  type AttributeType,
  attributeNames,
  isAttributeName,
  type Resource,
} from '../../../shared/analytics/attributes.ts';
import { OPERATORS } from '../../../shared/analytics/filters.ts';
import { ATTRIBUTE_WORDS, OPERATOR_WORDS, VALUE_WORDS } from '../../../shared/analytics/glossary.ts';
import { aggregationKey } from '../../../shared/analytics/grouping.ts';
import { DEFAULT_AGGREGATION } from '../../../shared/analytics/metrics.ts';
import { REFUSALS } from './errors.ts';
import { metricRows } from './metric-schemas.ts';
import { type Cell, code, type Html, heading, prose, table } from './page-parts.ts';

const RESOURCES: readonly Resource[] = ['event', 'session', 'user', 'screen'];

const joined = (parts: readonly Cell[]): Html =>
  html`${parts.map((part, at) => html`${at > 0 ? ', ' : ''}${part}`)}`;

export function attributesSection(): Html {
  const names = Object.keys(ATTRIBUTES).filter(isAttributeName);
  const on = (use: 'filtersOn' | 'groupsOn', name: (typeof names)[number]) => {
    const takers = RESOURCES.filter((resource) => attributeNames(resource, use).includes(name));
    return takers.length === RESOURCES.length ? 'all' : takers.map((taker) => `${taker}s`).join(', ') || '–';
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
<p>What filters and groups go by.</p>
${table('Attributes', ['Attribute', 'Type', 'Means', 'Filters', 'Groups'], rows)}
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
<p>Which operators an attribute takes goes by its type.</p>
${table('Operators by type of attribute', ['Type', 'Value', 'Operators'], byType)}
${table('What operators mean', ['Operator', 'The attribute'], words)}
</section>`;
}

export function metricsSection(): Html {
  return html`<section aria-labelledby="metrics">
${heading(2, 'metrics', 'Metrics')}
<p>${prose('A name with operators is asked for as `{"attribute": "session_duration", "operator": "avg"}`, or in short as `{"attribute": "avg_session_duration"}`, and comes back as `avg_session_duration`.')}</p>
${RESOURCES.map(metricsOf)}
</section>`;
}

function metricsOf(resource: Resource): Html {
  const usual = DEFAULT_AGGREGATION[resource].map((aggregation) => code(aggregationKey(aggregation)));
  const rows = metricRows(resource).map(({ name, operators, words }) => [
    code(name),
    operators.length > 0 ? joined(operators.map(code)) : 'none needed',
    prose(words),
  ]);
  return html`${heading(3, `${resource}-metrics`, `Of ${resource}s`)}
<p>Unless asked otherwise: ${joined(usual)}.</p>
${table(`Metrics of ${resource}s`, ['Metric', 'Operators', 'Means'], rows)}`;
}

export function errorsSection(): Html {
  const rows = REFUSALS.map(({ code: name, status, words }) => [code(name), String(status), prose(words)]);
  return html`<section aria-labelledby="errors">
${heading(2, 'errors', 'Errors')}
<p>${prose('A refusal says what is wrong, where, and what would be taken. Its request id stands in the header `X-Request-Id`.')}</p>
${table('Error codes', ['Code', 'Status', 'Means'], rows)}
</section>`;
}
