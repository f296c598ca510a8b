import { html } from 'hono/html';
import { spellingOfZone } from '../../../shared/contract/zone.ts';
import type { Html } from '../../../shared/pages/html.ts';

/** The cookie with the chosen time zone. */
export const ZONE_COOKIE = 'zone';

/** The requested zone. `undefined` for the zone of each rule, and for invalid zones. */
export function zoneFrom(asked: string | undefined): string | undefined {
  return asked ? spellingOfZone(asked) : undefined;
}

/** The local path to return to. The overview if the value could lead to another host. */
export function backTo(asked: string | undefined): string {
  return asked !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(asked) && !asked.includes('\\')
    ? asked
    : '/';
}

/** The form that sets the time zone. The script adds the zone of the browser. */
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
