import { plainText } from './plain-text.js';

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Text of strangers in a page or in one of its attributes: nothing of it is markup. */
export function htmlText(text: string, most = 300): string {
  return plainText(text, most).replace(/[&<>"'`]/g, (mark) => MARKS[mark] ?? '');
}
