/** A value that nobody may see, and whose it is. */
export interface Canary {
  readonly name: string;
  readonly value: string;
}

/** Shorter pieces would be found by chance. */
const MIN_LENGTH = 10;

/**
 * Every form in which a value travels: as it is, in addresses, in JSON, in hexadecimal, and in base64 wherever it
 * begins, also behind `user:`.
 */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const hex = bytes.toString('hex');
  const forms = [
    value,
    encodeURIComponent(value),
    encodeURI(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
  ];
  for (const lead of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(lead), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at both ends are made of neighbours too.
    const inside = text.slice(lead === 0 ? 0 : lead + 1, (lead + bytes.length) % 3 === 0 ? undefined : -1);
    forms.push(
      inside,
      inside.replaceAll('+', '-').replaceAll('/', '_'),
      Buffer.from(inside).toString('base64').replace(/=+$/, '').slice(0, -1),
    );
  }
  return [...new Set(forms)].filter((form) => form.length >= MIN_LENGTH);
}

/** Finds canaries in whatever others wrote. */
export class CanaryScan {
  readonly #forms: readonly { readonly name: string; readonly form: Buffer }[];

  constructor(canaries: readonly Canary[]) {
    this.#forms = canaries.flatMap(({ name, value }) =>
      formsOf(value).map((form) => ({ name, form: Buffer.from(form) })),
    );
  }

  /** The names of those that are in it. */
  in(text: string | Buffer): string[] {
    const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
    return [...new Set(this.#forms.filter(({ form }) => bytes.includes(form)).map(({ name }) => name))];
  }

  /** The same as lines that say where. */
  lines(where: string, text: string | Buffer): string[] {
    return this.in(text).map((name) => `${where}: ${name}`);
  }
}
