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

/** In which forms a backtest is told. */
export interface ReportOptions {
  json?: true;
  markdown?: true;
  html?: string;
}

/** What a report names besides what was found. */
interface NewsContext {
  /** Where the figures come from. */
  figures: string;
  against: string | undefined;
  plots: Plots | undefined;
  labels: Label[] | undefined;
}

/** Prints what was found, and writes its page where one is wanted. */
export async function queueNews(
  found: Backtest,
  { json, markdown, html }: ReportOptions,
  notified: NewsContext,
): Promise<void> {
  const { plots, labels = [], figures } = notified;
  const heading = { figures, ...(notified.against !== undefined && { against: notified.against }) };
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
