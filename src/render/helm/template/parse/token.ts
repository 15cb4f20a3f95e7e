import { quoteText, textLength } from '../value/go-text.js';

export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | Keyword;

type Keyword =
  | 'block'
  | 'break'
  | 'continue'
  | 'define'
  | 'dot'
  | 'else'
  | 'end'
  | 'if'
  | 'nil'
  | 'range'
  | 'template'
  | 'with';

export interface Token {
  readonly type: TokenType;
  /** Index of its first character in the text. */
  readonly pos: number;
  /** As written; the message for an error. */
  readonly text: string;
  /** Line of its first character, from 1. */
  readonly line: number;
}

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  (['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'nil', 'template', 'with'] as const).map(
    (word) => [word, word],
  ),
);

/** A token in a message. */
export function tokenText({ type, text }: Token): string {
  if (type === 'eof') return 'EOF';
  if (type === 'error') return text;
  if (type === 'dot' || KEYWORDS.get(text) === type) return `<${text}>`;
  return textLength(text) > 10 ? `${quoteText(text, 10)}...` : quoteText(text);
}
