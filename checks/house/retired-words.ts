import { exportedNames, messages } from './syntax.js';
import { isTest, type SourceFile } from './source-files.js';

/**
 * Words of our own for which Kubernetes, Argo CD or controller-runtime have one; docs/words.md has the words that took
 * their place. Names are compared word by word, so `lookup` and `OpenShift` are not meant by `look` and `shift`.
 */
const IN_NAMES = new Set([
  ...['desk', 'tell', 'tells', 'told', 'teller', 'tellers', 'pantry', 'workshop', 'shelf', 'book', 'doorkeeper'],
  ...['furnish', 'news', 'circle', 'circles', 'eyes', 'wish', 'wishes', 'objection', 'objections', 'refusal', 'judge'],
  ...['said', 'seen', 'shown', 'longest', 'deepest'],
]);

/** Two words that only together are meant. */
const PAIRS = [/\blook again\b/, /\bmost [a-z]+s$/, /^make (head|pinned|given)\b/, /\bside (thread|worker)\b/];

/** In texts for people; whole phrases, because most single words have a plain meaning too. */
const IN_MESSAGES =
  /\b(unless told|is told|are told|was told|be told|tells? of|told (by|to|in|of)|desk|pantry|workshop|doorkeeper)\b/i;

function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
}

function isRetired(name: string): boolean {
  const words = wordsOf(name);
  return words.split(' ').some((word) => IN_NAMES.has(word)) || PAIRS.some((pair) => pair.test(words));
}

/** Lines that may export a name: only where one of them has a retired word, the file is parsed. */
const EXPORTED = /^export\s.*$/gm;

/** Where a retired word is part of a file's path, of an exported name, or of a text for people. */
export function retiredWords(file: SourceFile): string[] {
  const path = file.path.replace(/\.[^/]*$/, '').split('/');
  const mayExport = (file.text.match(EXPORTED) ?? []).some(isRetired);
  const names = mayExport ? exportedNames(file).filter(isRetired) : [];
  const maySpeak = !isTest(file.path) && IN_MESSAGES.test(file.text);
  const texts = maySpeak ? messages(file).filter(({ text }) => IN_MESSAGES.test(text)) : [];
  return [
    ...(path.some(isRetired) ? [`${file.path}: the name of the file`] : []),
    ...names.map((name) => `${file.path}: ${name}`),
    ...texts.map(({ line, text }) => `${file.path}:${line}: ${text}`),
  ];
}

/** The same for a page of the documentation. */
export function retiredPhrases({ path, text }: SourceFile): string[] {
  return text
    .split('\n')
    .flatMap((line, index) => (IN_MESSAGES.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []));
}
