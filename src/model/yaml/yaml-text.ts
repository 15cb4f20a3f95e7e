const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const FORBIDDEN = new RegExp(`${CONTROL.source}|${LONE_SURROGATE.source}`);
const UNUSUAL = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd]/;

/** A text as readers take it: without a byte order mark, with newlines alone, and one NUL at the end. */
export function prepareYamlText(source: string): {
  readonly text: string;
  /** Where it has a character that no YAML text may contain; undefined if it has none. */
  readonly forbiddenAt: number | undefined;
} {
  const marked = source.startsWith('\ufeff') ? source.slice(1) : source;
  const text = `${/[\r\x85]/.test(marked) ? marked.replace(/\r\n?|\x85/g, '\n') : marked}\0`;
  // Almost every text is plain; the closer look costs ten times as much.
  const bad = UNUSUAL.test(marked) ? text.search(FORBIDDEN) : text.length - 1;
  return { text, forbiddenAt: bad < text.length - 1 ? bad : undefined };
}
