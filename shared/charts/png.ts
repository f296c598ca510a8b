import type { Chart } from '../messages/chart.ts';
import { CHART_STYLES } from './looks.ts';
import { readPackedFile } from './packed-files.ts';
import { svgOf } from './svg.ts';

/** Twice the size of the drawing: sharp on every screen. */
const ZOOM = 2;

const WASM = '@resvg/resvg-wasm/index_bg.wasm';
const FONTS = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) => `dejavu-fonts-ttf/ttf/${name}`);

/** Files that drawing reads, by their name in a package. In a bundle they are next to it. */
export const PICTURE_FILES = [WASM, ...FONTS];

/** The chart as a PNG, 1,200 pixels wide, with a bundled font: the runtime may have none. */
export async function pngOf(chart: Chart): Promise<Uint8Array> {
  const { Resvg, fontBuffers } = await machine();
  const drawing = new Resvg(await svgOf(chart), {
    fitTo: { mode: 'zoom', value: ZOOM },
    font: { fontBuffers, defaultFontFamily: CHART_STYLES.picture.fontFamily },
  });
  try {
    const image = drawing.render();
    try {
      return image.asPng();
    } finally {
      image.free();
    }
  } finally {
    drawing.free();
  }
}

type Machine = Pick<typeof import('@resvg/resvg-wasm'), 'Resvg'> & { fontBuffers: Uint8Array[] };

/** Created on first use, and only once: a process can load the WebAssembly module only once. */
let made: Promise<Machine> | undefined;

function machine(): Promise<Machine> {
  made ??= makeMachine();
  made.catch(() => {
    made = undefined;
  });
  return made;
}

async function makeMachine(): Promise<Machine> {
  const [wasm, ...fontBuffers] = PICTURE_FILES.map((name) => readPackedFile(name, import.meta.url));
  if (!wasm) throw new RangeError(`${WASM} is missing`);
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  await initWasm(wasm);
  return { Resvg, fontBuffers };
}
