import { maskUrl } from './address.js';

const MIN_SECRET_LENGTH = 4;

/** Gives a function that takes secrets out of text that others wrote, in every form in which they travel. */
export function makeScrub(
  secrets: readonly (string | undefined)[],
  users: readonly (string | undefined)[] = [],
): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.trim() === '') continue;
    for (const line of [secret, ...secret.split('\n')].map((part) => part.trim())) {
      if (line.length < MIN_SECRET_LENGTH || line.startsWith('-----')) continue;
      for (const form of [
        line,
        encodeURIComponent(line),
        encodeURI(line),
        base64(line),
        JSON.stringify(line).slice(1, -1),
      ])
        forms.add(form);
    }
    for (const user of ['', ...users]) forms.add(base64(`${user ?? ''}:${secret}`));
  }
  const longestFirst = [...forms]
    .filter((form) => form.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  return (text) => maskUrls(longestFirst.reduce((clean, form) => clean.replaceAll(form, '***'), text));
}

function maskUrls(text: string): string {
  return text.replace(/:\/\/[^\s'"]+/g, (url) => maskUrl(url));
}

function base64(text: string): string {
  return Buffer.from(text)
    .toString('base64')
    .replace(/(?<!=)=+$/, '');
}
