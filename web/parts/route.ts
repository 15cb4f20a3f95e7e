import { useSyncExternalStore } from 'react';

/** Where the page is: the parts of the path, and what stands after the question mark. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();
const notifyListeners = (): void => {
  for (const listener of listeners) listener();
};
addEventListener('popstate', notifyListeners);

export function readRoute(href: string): Route {
  const url = new URL(href);
  return {
    parts: url.pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent),
    query: url.searchParams,
  };
}

export function useRoute(): Route {
  const href = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => location.href,
  );
  return readRoute(href);
}

export function go(to: string, how: { readonly replaces?: boolean } = {}): void {
  if (how.replaces === true) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  notifyListeners();
}

/** Changes what stands after the question mark; an empty value goes. */
export function setQuery(changes: Readonly<Record<string, string>>, how: { readonly replaces?: boolean } = {}): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  go(`${url.pathname}${url.search}`, how);
}
