interface Difference {
  readonly why: string;
  /** The commands whose output it touches, and which of their two outputs. */
  readonly in: RegExp;
  readonly of?: 'stderr';
  readonly without: (text: string) => string;
}

const ABSENT_ROLE = /^system:(?!(aggregate-to-\w+|auth-delegator|basic-user|discovery|monitoring|public-info-viewer) )/;

/**
 * Every difference that we mean to have, or that is chance in kubectl itself. It is taken out of both outputs before
 * they are compared.
 */
const DIFFERENCES: readonly Difference[] = [
  {
    why: 'We do not copy description texts of the API documentation, so explain has fields and types only.',
    in: /^kubectl explain /,
    without: withoutDescriptions,
  },
  {
    why: 'Roles for parts of a cluster that do not run here (nodes, the scheduler, each controller) are not made.',
    in: /^kubectl get (clusterroles|clusterrolebindings) -l /,
    without: (text) =>
      text
        .split('\n')
        .filter((line) => !ABSENT_ROLE.test(line))
        .join('\n'),
  },
  {
    why: 'Where a wait ends by its own deadline, kubectl sometimes logs that its watch ended with it.',
    in: /^kubectl (wait|delete|rollout) .*--timeout=/,
    of: 'stderr',
    without: (text) => text.replace(/^.* reflector\.go:\d+\] .*(context deadline exceeded|very short watch).*\n/gm, ''),
  },
  {
    why: 'Our version says what it is: v1.34.4+argosy, not built with Go.',
    in: /^kubectl version/,
    without: (text) =>
      text.replaceAll('+argosy', '').replace(/^.*"(gitCommit|gitTreeState|goVersion|compiler)".*\n/gm, ''),
  },
];

export function withoutIntendedDifferences(command: string, output: 'stdout' | 'stderr', text: string): string {
  const found = DIFFERENCES.filter(
    (difference) => (difference.of ?? 'stdout') === output && difference.in.test(command),
  );
  return found.reduce((rest, difference) => difference.without(rest), text);
}

/** Keeps headings, field lines and enums; drops the paragraphs between them. */
function withoutDescriptions(text: string): string {
  let section = '';
  return text
    .split('\n')
    .filter((line) => {
      section = /^([A-Z]+):/.exec(line)?.[1] ?? section;
      return (
        section !== 'DESCRIPTION' &&
        (section === 'ENUM' || /^[A-Z]+:/.test(line) || /^ *\S+\t</.test(line) || /^ *enum: /.test(line))
      );
    })
    .join('\n');
}
