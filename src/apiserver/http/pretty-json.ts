/**
 * Indents JSON text by two spaces without reading its values, so that long integers keep their digits. An empty object
 * or list stays on one line.
 */
export function prettyJson(text: string): string {
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  const tokens = text.match(/"(?:[^"\\]|\\[^]?)*(?:"|$)|\{\}|\[\]|[{}[\],:]|[^\s"{}[\],:]+/g) ?? [];
  return tokens
    .map((token) => {
      if (token === '{' || token === '[') {
        depth++;
        return token + line();
      }
      if (token === '}' || token === ']') {
        depth--;
        return line() + token;
      }
      if (token === ',') return `,${line()}`;
      return token === ':' ? ': ' : token;
    })
    .join('');
}
