import { useSyncExternalStore } from 'react';

const NARROW = matchMedia('(max-width: 700px)');

/** Whether there is no room for a table. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      NARROW.addEventListener('change', onChange);
      return () => {
        NARROW.removeEventListener('change', onChange);
      };
    },
    () => NARROW.matches,
  );
}
