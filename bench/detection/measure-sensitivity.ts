import { SENSITIVITIES, type Sensitivity } from '../../shared/statistics/seasonality.ts';
import { rounded } from './comparison.ts';
import { deltawatch } from './contestants.ts';
import type { Data } from './data.ts';
import { WARM_UP_WINDOWS } from './injection.ts';
import { cleanScores } from './measure.ts';
import { measureYoung } from './measure-young.ts';
import { falsePagesAWeek } from './scoring.ts';
import type { SeriesGrain } from './series.ts';
import { watched } from './watching.ts';

interface SensitivityFigures {
  /** Of young apps, by day and by hour: the share of incidents found, and false alerts per app-month. */
  found: number;
  falsePerAppMonth: number;
  hourlyFound: number;
  hourlyFalsePerAppMonth: number;
  /** Of the series of the data folder. */
  hourlyFalsePerSeriesWeek: number;
  dailyFalsePerSeriesWeek: number;
}

/** What the published limits find, and how often they are wrong, at each sensitivity. */
export function measureSensitivity(data: Data): Record<Sensitivity, SensitivityFigures> {
  const entries = SENSITIVITIES.map((sensitivity) => [sensitivity, figuresAt(sensitivity, data)] as const);
  return Object.fromEntries(entries) as Record<Sensitivity, SensitivityFigures>;
}

/** The rows of the table in `docs/reference/rules.md`. */
export function printSensitivity(measured: ReturnType<typeof measureSensitivity>): void {
  console.log('\nsensitivity: young apps by day and by hour, found and false alerts per app-month;');
  console.log('false alerts per series-week of the hourly and daily series\n');
  for (const [name, figures] of Object.entries(measured))
    console.log(`| \`${name}\` | ${Object.values(figures).map(shown).join(' | ')} |`);
}

function shown(figure: number): string {
  return figure.toFixed(2).replace(/^0/, '');
}

function figuresAt(sensitivity: Sensitivity, { series, youngApps }: Data): SensitivityFigures {
  const contestant = deltawatch(sensitivity);
  const [days, hours] = (['day', 'hour'] as const).map((grain) =>
    measureYoung(contestant, grain, youngApps[grain]),
  );
  const falseOf = (grain: SeriesGrain) => {
    const clean = series
      .filter((each) => each.grain === grain)
      .map((each) => cleanScores(each, watched(contestant, each), WARM_UP_WINDOWS[grain]).verdicts);
    return rounded(falsePagesAWeek(clean, 1));
  };
  return {
    found: rounded(days?.foundAtDefault ?? Number.NaN),
    falsePerAppMonth: rounded(days?.falsePerAppMonth ?? Number.NaN),
    hourlyFound: rounded(hours?.foundAtDefault ?? Number.NaN),
    hourlyFalsePerAppMonth: rounded(hours?.falsePerAppMonth ?? Number.NaN),
    hourlyFalsePerSeriesWeek: falseOf('hour'),
    dailyFalsePerSeriesWeek: falseOf('day'),
  };
}
