import { useCallback, useEffect, useRef, useState } from 'react';
import { get, type Query, address } from './client';

/** What a view knows of something that is on its way: nothing yet, the newest answer, and why the last try failed. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** The last answers, so that a page that was seen before is there at once. Bounded: the oldest goes. */
const cache = new Map<string, unknown>();
const MAX_CACHED = 60;

export function cacheResult(key: string, value: unknown): void {
  cache.delete(key);
  cache.set(key, value);
  const oldest = cache.keys().next().value;
  if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
}

export function clearCache(): void {
  cache.clear();
}

/** Asks for a path now and whenever it, or `version`, changes; an old answer stays until the new one is there. */
export function useLoad<T>(path: string | undefined, query: Query = {}, version: string | number = 0): Loaded<T> {
  const key = path === undefined ? '' : address(path, query);
  const [state, setState] = useState<{
    readonly key: string;
    readonly value: T | undefined;
    readonly error: unknown;
    readonly isLoading: boolean;
  }>(() => ({ key, value: cache.get(key) as T | undefined, error: undefined, isLoading: true }));
  const [round, setRound] = useState(0);
  const current = useRef(key);
  current.current = key;
  useEffect(() => {
    if (key === '') {
      setState((before) =>
        before.key === '' ? before : { key, value: undefined, error: undefined, isLoading: false },
      );
      return;
    }
    const abort = new AbortController();
    setState((before) =>
      before.key === key
        ? { ...before, isLoading: true }
        : { key, value: cache.get(key) as T | undefined, error: undefined, isLoading: true },
    );
    get<T>(key, {}, abort.signal).then(
      (value) => {
        cacheResult(key, value);
        if (!abort.signal.aborted) setState({ key, value, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!abort.signal.aborted)
          setState((before) => ({
            key,
            value: before.key === key ? before.value : undefined,
            error,
            isLoading: false,
          }));
      },
    );
    return () => {
      abort.abort();
    };
  }, [key, round, version]);
  const reload = useCallback(() => {
    setRound((before) => before + 1);
  }, []);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : (cache.get(key) as T | undefined),
    error: isCurrent ? state.error : undefined,
    isLoading: key !== '' && (!isCurrent || state.isLoading),
    reload,
  };
}
