import { useEffect, useRef } from 'react';

/** What keys do: a key, or two after each other such as `g f`. */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const SEQUENCE_TIMEOUT = 1200;

/** Keys count where nobody types, and never with a modifier: those are the browser's. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    let before = { key: '', at: 0 };
    const listen = (event: KeyboardEvent): void => {
      if (
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        isTyping(event.target) ||
        document.querySelector('dialog[open]') !== null
      )
        return;
      const pair = event.timeStamp - before.at < SEQUENCE_TIMEOUT ? `${before.key} ${event.key}` : '';
      const act = latest.current[pair] ?? latest.current[event.key];
      before = { key: event.key, at: event.timeStamp };
      if (act === undefined) return;
      event.preventDefault();
      act(event);
    };
    addEventListener('keydown', listen);
    return () => {
      removeEventListener('keydown', listen);
    };
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}
