import { html } from 'hono/html';
import { spellingOfZone } from '../../../shared/analytics/zone.ts';
import type { Html } from '../../../shared/pages/html.ts';

/** The cookie that keeps the time zone which somebody chose. */
export const ZONE_COOKIE = 'zone';

/** The zone that was asked for; `undefined` for "each rule's own" and for anything that is no zone. */
export function zoneFrom(asked: string | undefined): string | undefined {
  return asked ? spellingOfZone(asked) : undefined;
}

/** The path of ours to go back to. Anything that could lead to another host is the overview. */
export function backTo(asked: string | undefined): string {
  return asked !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(asked) && !asked.includes('\\')
    ? asked
    : '/';
}

/** The switch. The script adds the browser's own zone. */
export function zoneForm(zone: string | undefined, address: string): Html {
  const others = zone !== undefined && zone !== 'UTC' ? [zone] : [];
  return html`<form class="zone" action="/time-zone">
<input type="hidden" name="back" value="${address}">
<label><span>Times in</span> <select name="zone" data-zones>
<option value=""${zone === undefined && html` selected`}>each rule’s zone</option>
<option${zone === 'UTC' && html` selected`}>UTC</option>
${others.map((each) => html`<option selected>${each}</option>`)}
</select></label>
<button>Set</button>
</form>`;
}
