import { useCallback, useEffect, useRef, useState } from 'react';
import type { FleetCounts } from '../../src/model/api/index.js';
import { useStream } from '../http/stream';
import { FAST_INTERVAL, useInterval } from '../parts/tick';
import { addPage, NO_PAGES, PAGE_SIZE, type Filter, type Pages } from './fleet';
import { fetchFleet } from './fetch-fleet';

export interface Fleet {
  readonly pages: Pages;
  readonly counts: FleetCounts | undefined;
  readonly error: unknown;
  readonly isLive: boolean;
  /** Asks for the pages that hold these rows, unless they are there. */
  readonly want: (pages: readonly number[]) => void;
  readonly reload: () => void;
}

/** How long changes are gathered before the list is asked for again. */
const DEBOUNCE = 200;
const CAUSES_INTERVAL = 5000;

/** The rows in sight, asked for page by page, filtered by the server, and asked for again when something changes. */
export function useFleet(filter: Filter): Fleet {
  const key = JSON.stringify(filter);
  const [state, setState] = useState<{
    readonly key: string;
    readonly pages: Pages;
    readonly counts: FleetCounts | undefined;
    readonly isExplained: boolean;
    readonly error: unknown;
  }>({ key, pages: NO_PAGES, counts: undefined, isExplained: false, error: undefined });
  const wanted = useRef<readonly number[]>([0]);
  const asked = useRef(new Set<number>());
  const round = useRef(0);
  const ask = useCallback(
    (pages: readonly number[]) => {
      const own = round.current;
      for (const page of pages) {
        asked.current.add(page);
        fetchFleet(JSON.parse(key) as Filter, page * PAGE_SIZE, PAGE_SIZE).then(
          (answer) => {
            if (own === round.current)
              setState((before) => ({
                key,
                pages: addPage(before.key === key ? before.pages : NO_PAGES, answer, page * PAGE_SIZE),
                counts: answer.counts,
                isExplained: answer.isExplained,
                error: undefined,
              }));
          },
          (error: unknown) => {
            if (own === round.current) setState((before) => ({ ...before, error }));
          },
        );
      }
    },
    [key],
  );
  const reload = useCallback(() => {
    ask(wanted.current);
  }, [ask]);
  useEffect(() => {
    round.current += 1;
    asked.current = new Set();
    wanted.current = [0];
    ask([0]);
  }, [ask]);
  const want = useCallback(
    (pages: readonly number[]) => {
      wanted.current = pages;
      ask(pages.filter((page) => !asked.current.has(page)));
    },
    [ask],
  );
  const isLive = useChanges(() => {
    // What is out of sight is asked for again when it comes into sight.
    asked.current = new Set();
    reload();
    // The first rows come first.
  }, state.counts !== undefined);
  // Causes are found a while after the change that shows them.
  useInterval(reload, state.isExplained ? CAUSES_INTERVAL : FAST_INTERVAL);
  return { pages: state.pages, counts: state.counts, error: state.error, isLive, want, reload };
}

/** Changes come in bursts while many applications are delivered: one question for all of them. */
function useChanges(onChange: () => void, isWanted: boolean): boolean {
  const latest = useRef(onChange);
  latest.current = onChange;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  const soon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, DEBOUNCE);
  }, []);
  const { isLive } = useStream(isWanted ? STREAM : undefined, soon);
  // What changed before the stream was there is not in it.
  useEffect(() => {
    if (isLive) soon();
  }, [isLive, soon]);
  return isLive;
}

/** Only what tells that something changed, without what is there already; the rows come from the list. */
const STREAM =
  '/api/v1/stream/applications?resourceVersion=1&fields=result.type,result.application.metadata.name,' +
  'result.application.metadata.resourceVersion';
