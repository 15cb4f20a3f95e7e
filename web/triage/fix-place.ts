/** What to do, and where that stands in git. */
export interface FixPlace {
  readonly say: string;
  readonly place: string;
}

/** A sentence for terminals ends with the place, as one long address; here that is a line of its own and short. */
export function fixPlace(text: string): FixPlace {
  const [, say, url = '', path = '', application = ''] =
    /^(.*) \((\S+) (\S*), application ([^()\s]+)\)$/s.exec(text) ?? [];
  return say === undefined
    ? { say: text, place: '' }
    : {
        say,
        place: `${[repositoryName(url), path].filter((part) => part !== '').join(' · ')}, delivered by ${application}`,
      };
}

/** The last two steps of an address: enough to know it. */
export function repositoryName(url: string): string {
  return url
    .replace(/\/+$/, '')
    .split(/[/:]/)
    .slice(-2)
    .join('/')
    .replace(/\.git$/, '');
}
