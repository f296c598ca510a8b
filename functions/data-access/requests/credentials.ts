import { RequestError } from './request-error.ts';

/** Where a request may carry a value: the place as its caller knows it, and what stands there. */
export type Carried = readonly (readonly [place: string, value: string | null | undefined])[];

/**
 * The key of a request, wherever it is carried; undefined where it has none.
 * @throws RequestError 401 where two places hold different keys: which of them is meant is not for us to guess.
 */
export function keyIn(carried: Carried): string | undefined {
  return only(carried, (places) => new RequestError('INVALID_CREDENTIALS', `${places} hold different keys`));
}

/**
 * The app that a request names, wherever it does; undefined where it names none.
 * @throws RequestError 400 where two places name different apps.
 */
export function appIn(carried: Carried): string | undefined {
  return only(carried, (places, [path = '']) => {
    const message = `${places} name different apps`;
    return new RequestError('INVALID_REQUEST', message, [{ path, message }]);
  });
}

function only(
  carried: Carried,
  refusal: (places: string, named: readonly string[]) => RequestError,
): string | undefined {
  const given = carried.flatMap(([place, value]) => (value ? [{ place, value }] : []));
  const [first] = given;
  if (given.some(({ value }) => value !== first?.value)) {
    const places = given.map(({ place }) => place);
    throw refusal(`${places.slice(0, -1).join(', ')} and ${places.at(-1)}`, places);
  }
  return first?.value;
}
