import type { CallBudget } from '../readings/metric-source.ts';
import { UpstreamError } from '../runtime/errors.ts';
import type { ServiceKnowledge } from './answer-knowledge.ts';
import { pageOf } from './answers.ts';
import { atPage, type DataAccessCall } from './calls.ts';
import { QuestionRefusedError } from './refusals.ts';

type Send = (call: DataAccessCall, budget: CallBudget) => Promise<unknown>;
type Items = ReturnType<typeof pageOf>['items'];

const MAX_PAGES = 200;

/**
 * Reads the items of all pages of a response, which it requests by number. The interface documents page numbers only for lists. Legacy analytics that refuse them are
 * asked without, and remembered.
 */
export function createPageReader(send: Send, { pages }: Pick<ServiceKnowledge, 'pages'>) {
  const readPages = async (call: DataAccessCall, budget: CallBudget): Promise<Items> => {
    const all: Items = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { items, isLast } = pageOf(await send(atPage(call, page), budget));
      if (call.style === 'legacy') pages.set(call.path, 'taken');
      all.push(...items);
      if (isLast) return all;
    }
    throw new UpstreamError(`a response has over ${MAX_PAGES} pages`, { retryable: false });
  };

  const readUnpaged = async (call: DataAccessCall, budget: CallBudget): Promise<Items> => {
    const { items, isLast } = pageOf(await send(call, budget), Infinity);
    if (isLast) return items;
    throw new UpstreamError('the data access service returns pages but accepts no page number', {
      retryable: false,
    });
  };

  const readItems = async (call: DataAccessCall, budget: CallBudget): Promise<Items> => {
    if (pages.get(call.path) === 'refused') return readUnpaged(call, budget);
    try {
      return await readPages(call, budget);
    } catch (error) {
      const mayBeThePage = call.style === 'legacy' && !pages.has(call.path);
      if (!(error instanceof QuestionRefusedError) || !mayBeThePage) throw error;
      const items = await readUnpaged(call, budget).catch((second: unknown) => {
        // The first refusal is the one of the usual form of the request.
        throw second instanceof QuestionRefusedError ? error : second;
      });
      pages.set(call.path, 'refused');
      return items;
    }
  };

  return {
    readItems,
    /** Uses as few calls as possible: without a page number, legacy calls may return all rows at once. */
    async readWhole(call: DataAccessCall, budget: CallBudget): Promise<Items> {
      if (call.style === 'json') return readItems(call, budget);
      const { items, isLast } = pageOf(await send(call, budget), Infinity);
      return isLast ? items : readItems(call, budget);
    },
  };
}
