/** The style of a chart: size in pixels, font and colours. */
export interface ChartStyle {
  width: number;
  height: number;
  fontSize: number;
  fontFamily: string;
  /** An image on its own, with a title and a background. */
  isAlone: boolean;
  colours: Colours;
}

/** Any colour of CSS. */
interface Colours {
  ground: string;
  text: string;
  quiet: string;
  line: string;
  accent: string;
  bad: string;
}

/** The colours of the page, which follow its light or dark mode. */
const OF_PAGE: Colours = {
  ground: 'var(--surface)',
  text: 'var(--text)',
  quiet: 'var(--quiet)',
  line: 'var(--line)',
  accent: 'var(--accent)',
  bad: 'var(--bad)',
};

const ON_WHITE: Colours = {
  ground: '#ffffff',
  text: '#191c22',
  quiet: '#565d69',
  line: '#dde1e7',
  accent: '#3548b8',
  bad: '#a3201a',
};

/** Readable on a phone, and wide enough for a page. */
const size = { width: 600, height: 340, fontSize: 13 };

export const CHART_STYLES = {
  /** In a message, with a white background of its own. */
  picture: { ...size, fontFamily: 'DejaVu Sans', isAlone: true, colours: ON_WHITE },
  page: { ...size, fontFamily: 'inherit', isAlone: false, colours: OF_PAGE },
} as const satisfies Record<string, ChartStyle>;

/** Of the line at which a rule fires. */
export const LIMIT_WIDTH = 1.25;

/** Opacity of the expected range, so that grid lines show through it. */
export const BAND_OPACITY = 0.17;
