interface Difference {
  readonly why: string;
  /** The commands whose output it touches. */
  readonly in: RegExp;
  readonly without: (text: string) => string;
}

const ABSENT_ROLE = /^(kube-\S+ +)?(\S+\/)?(system:(?!(aggregate-to-\w+|auth-delegator|basic-user|discovery|monitoring|public-info-viewer) )|extension-apiserver-)/;

/** Every difference that we mean to have. It is taken out of both outputs before they are compared. */
const DIFFERENCES: readonly Difference[] = [
  {
    why: 'We do not copy description texts of the API documentation, so explain has fields and types only.',
    in: /^kubectl explain /,
    without: withoutDescriptions,
  },
  {
    why: 'Roles for parts of a cluster that do not run here (nodes, the scheduler, each controller) are not made.',
    in: /^kubectl get (clusterroles|clusterrolebindings|roles)\b/,
    without: (text) => text.split('\n').filter((line) => !ABSENT_ROLE.test(line)).join('\n'),
  },
  {
    why: 'Our version says what it is: v1.34.4+argosy, not built with Go.',
    in: /^kubectl version/,
    without: (text) => text.replaceAll('+argosy', '').replace(/^.*"(gitCommit|gitTreeState|goVersion|compiler)".*\n/gm, ''),
  },
];

export function withoutIntendedDifferences(command: string, text: string): string {
  return DIFFERENCES.filter((difference) => difference.in.test(command)).reduce((rest, difference) => difference.without(rest), text);
}

/** Keeps headings, field lines and enums; drops the paragraphs between them. */
function withoutDescriptions(text: string): string {
  const kept = text.split('\n').filter((line) => /^[A-Z]+:/.test(line) || /^ *\S+\t</.test(line) || /^ *enum: /.test(line));
  return kept.filter((line) => !line.startsWith('DESCRIPTION:')).join('\n');
}
