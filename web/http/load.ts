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
const remembered = new Map<string, unknown>();
const MOST_REMEMBERED = 60;

export function remember(key: string, value: unknown): void {
  remembered.delete(key);
  remembered.set(key, value);
  const oldest = remembered.keys().next().value;
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

export function forgetAll(): void {
  remembered.clear();
}

/** Asks for a path now and whenever it, or `version`, changes; an old answer stays until the new one is there. */
export function useLoad<T>(path: string | undefined, query: Query = {}, version: string | number = 0): Loaded<T> {
  const key = path === undefined ? '' : address(path, query);
  const [state, setState] = useState<{
    readonly key: string;
    readonly value: T | undefined;
    readonly error: unknown;
    readonly isLoading: boolean;
  }>(() => ({ key, value: remembered.get(key) as T | undefined, error: undefined, isLoading: true }));
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
        : { key, value: remembered.get(key) as T | undefined, error: undefined, isLoading: true },
    );
    get<T>(key, {}, abort.signal).then(
      (value) => {
        remember(key, value);
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
    value: isCurrent ? state.value : (remembered.get(key) as T | undefined),
    error: isCurrent ? state.error : undefined,
    isLoading: key !== '' && (!isCurrent || state.isLoading),
    reload,
  };
}
