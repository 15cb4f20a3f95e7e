/** What of a key press a terminal needs to know. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

const ARROWS: Readonly<Record<string, string>> = {
  ArrowUp: 'A',
  ArrowDown: 'B',
  ArrowRight: 'C',
  ArrowLeft: 'D',
  Home: 'H',
  End: 'F',
};
const NAMED: Readonly<Record<string, string>> = {
  Enter: '\r',
  Backspace: '\u007F',
  Tab: '\t',
  Escape: '\u001B',
  Insert: '\u001B[2~',
  Delete: '\u001B[3~',
  PageUp: '\u001B[5~',
  PageDown: '\u001B[6~',
  F1: '\u001BOP',
  F2: '\u001BOQ',
  F3: '\u001BOR',
  F4: '\u001BOS',
  F5: '\u001B[15~',
  F6: '\u001B[17~',
  F7: '\u001B[18~',
  F8: '\u001B[19~',
  F9: '\u001B[20~',
  F10: '\u001B[21~',
  F12: '\u001B[24~',
};

/**
 * What a terminal sends for a key; undefined for keys that are the browser's: copy and paste, Shift+Tab, which leaves
 * the terminal, and those with the system's key.
 */
export function textOfKey(
  { key, ctrlKey, altKey, metaKey, shiftKey }: KeyPress,
  hasApplicationKeys: boolean,
): string | undefined {
  if (metaKey || (ctrlKey && shiftKey) || (key === 'Tab' && shiftKey)) return undefined;
  const arrow = ARROWS[key];
  if (arrow !== undefined) {
    const modifier = 1 + (shiftKey ? 1 : 0) + (altKey ? 2 : 0) + (ctrlKey ? 4 : 0);
    return modifier > 1 ? `\u001B[1;${modifier}${arrow}` : `\u001B${hasApplicationKeys ? 'O' : '['}${arrow}`;
  }
  const named = NAMED[key];
  if (named !== undefined) return altKey ? `\u001B${named}` : named;
  if (key.length !== 1) return undefined;
  if (ctrlKey) return controlOf(key);
  return altKey ? `\u001B${key}` : key;
}

/** Ctrl with a letter, or with one of the few signs that have a meaning. */
function controlOf(key: string): string | undefined {
  const code = key.toUpperCase().charCodeAt(0);
  if (code >= 64 && code <= 95) return String.fromCharCode(code - 64);
  return key === ' ' ? '\u0000' : undefined;
}
