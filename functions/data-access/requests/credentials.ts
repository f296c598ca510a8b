import { RequestError } from './request-error.ts';

/** The values of a request that may hold the same thing, each with the name of its place for error messages. */
export type Candidates = readonly (readonly [place: string, value: string | null | undefined])[];

/**
 * The API key of a request, if it has one.
 * @throws RequestError 401 if two places contain different keys, because either could be the intended one.
 */
export function keyIn(candidates: Candidates): string | undefined {
  return only(
    candidates,
    (places) => new RequestError('INVALID_CREDENTIALS', `${places} contain different keys`),
  );
}

/**
 * The app id of a request, if it has one.
 * @throws RequestError 400 if two places contain different apps.
 */
export function appIn(candidates: Candidates): string | undefined {
  return only(candidates, (places, [path = '']) => {
    const message = `${places} contain different apps`;
    return new RequestError('INVALID_REQUEST', message, [{ path, message }]);
  });
}

function only(
  candidates: Candidates,
  refusal: (places: string, named: readonly string[]) => RequestError,
): string | undefined {
  const given = candidates.flatMap(([place, value]) => (value ? [{ place, value }] : []));
  const [first] = given;
  if (given.some(({ value }) => value !== first?.value)) {
    const places = given.map(({ place }) => place);
    throw refusal(`${places.slice(0, -1).join(', ')} and ${places.at(-1)}`, places);
  }
  return first?.value;
}
