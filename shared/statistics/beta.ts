/**
 * The cumulative distribution function of the beta distribution. The tails of Student's t and of the binomial
 * distribution follow from it. Small values are as accurate as large ones. `rest`: 1 - x, where the caller knows it better.
 */
export function betaCdf(a: number, b: number): (x: number, rest?: number) => number {
  const mean = a / (a + b);
  const scale =
    Math.sqrt((a * b) / (2 * Math.PI * (a + b))) *
    Math.exp(stirlingError(a + b) - stirlingError(a) - stirlingError(b));
  return (x, rest = 1 - x) => {
    if (x <= 0 || rest <= 0) return x <= 0 ? 0 : 1;
    const front = scale * Math.exp(a * Math.log(x / mean) + b * Math.log(rest / (1 - mean)));
    // On the other side of the mean, the fraction converges slowly.
    return x < (a + 1) / (a + b + 2)
      ? (front * fraction(a, b, x)) / a
      : 1 - (front * fraction(b, a, rest)) / b;
  };
}

/** The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
function fraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 / apart(1 - ((a + b) * x) / (a + 1));
  let value = d;
  const step = (term: number) => {
    d = 1 / apart(1 + term * d);
    c = apart(1 + term / c);
    value *= c * d;
  };
  for (let m = 1; m === 1 || Math.abs(c * d - 1) > 1e-15; m++) {
    step((m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)));
    step((-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)));
  }
  return value;
}

/** The method must not divide by zero. */
const apart = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);

/** The logarithm of the factor by which Stirling's formula is short of the gamma function of `x`. */
function stirlingError(x: number): number {
  if (x < 10) return stirlingError(x + 1) + (x + 0.5) * Math.log1p(1 / x) - 1;
  const square = x * x;
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) / square) / x;
}
