/**
 * go: how Go formats and quotes values (fmt, strconv, unicode), because messages of Kubernetes, Helm and Argo CD depend
 * on it.
 * Takes values; gives text, byte for byte as Go prints it.
 */
export { formatFloat } from './float.js';
export { compareText, formatGoFloat, formatGoNumber, formatGoValue, quoteGo, quoteGoTime } from './go-format.js';
export { frexp, ldexp, powBySquaring } from './power.js';
export { isPrintable } from './printable.js';
export { printf, type PrintfArguments } from './printf.js';
export { canBackquote, quoteBytes, quoteRune } from './quote.js';
export { lowerRune, titleRune, upperRune } from './rune-case.js';
export { decodeRune, encodeRune, isAscii } from './utf8.js';
export { formatFloatVerb, formatInteger, formatString, newDirective, pad, type Directive } from './verbs.js';
