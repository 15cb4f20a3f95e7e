/** What people ask about a commit. */
export interface CommitFacts {
  /** `Name <mail>`. */
  readonly author: string;
  /** RFC 3339; when the author wrote it. */
  readonly date: string;
  readonly message: string;
  readonly tags: readonly string[];
}

/** Reads the text of a commit object: headers, an empty line, the message. */
export function readCommit(text: string): Omit<CommitFacts, 'tags'> {
  const end = text.indexOf('\n\n');
  const headers = end < 0 ? text : text.slice(0, end);
  const [, author = '', seconds = '0'] = /^author (.*) (-?\d{1,12}) [+-]\d{4}$/m.exec(headers) ?? [];
  return {
    author,
    date: new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z'),
    message: end < 0 ? '' : text.slice(end + 2).trimEnd(),
  };
}
