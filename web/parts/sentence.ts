/**
 * Causes are told in the middle of sentences too; where one stands alone it begins with a capital. Names stay as they
 * are.
 */
export function sentenceOf(text: string): string {
  return /^[a-z]+[ ,:]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
