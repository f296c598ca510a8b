import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Backtest } from '../../workbench/backtest/backtest.ts';
import type { Label } from '../../workbench/backtest/label.ts';
import { markdownOf } from '../../workbench/backtest/markdown.ts';
import { pageOf } from '../../workbench/backtest/page.ts';
import type { Plots } from '../../workbench/backtest/plots.ts';
import { reportJson } from '../../workbench/backtest/report-json.ts';
import { fileProblem } from '../terminal/file-errors.ts';
import { backtestLines } from './backtest-lines.ts';

/** Output formats of a backtest. */
export interface ReportOptions {
  json?: true;
  markdown?: true;
  html?: string;
}

/** Facts of a report besides its results. */
interface ReportContext {
  /** Source of the figures. */
  figures: string;
  against: string | undefined;
  plots: Plots | undefined;
  labels: Label[] | undefined;
}

/** Prints the report, and writes its page if requested. */
export async function queueNews(
  found: Backtest,
  { json, markdown, html }: ReportOptions,
  context: ReportContext,
): Promise<void> {
  const { plots, labels = [], figures } = context;
  const heading = { figures, ...(context.against !== undefined && { against: context.against }) };
  if (html !== undefined && plots) {
    await writePage(html, await pageOf({ backtest: found, plots, labels, figures }));
    console.error(`Wrote the page to ${html}`);
  }
  if (json) console.log(JSON.stringify(reportJson(found, figures), null, 2));
  else if (markdown) process.stdout.write(markdownOf(found, heading));
  else console.log(backtestLines(found, heading).join('\n'));
}

async function writePage(file: string, page: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, page);
  } catch (error) {
    throw fileProblem(file, error);
  }
}
