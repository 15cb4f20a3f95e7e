/** What helps against a condition, by its type; messages of faults say the rest themselves. */
const HINTS: Readonly<Record<string, string>> = {
  ComparisonError:
    'What git says could not be rendered or compared. Put the source right in git, or its address, path and ' +
    'revision in the Application.',
  InvalidSpecError: 'The Application itself is wrong: its project, destination or source. Put its spec right.',
  SyncError:
    'The last automatic sync failed. Look at its message under History; the next commit, or a sync by hand, ' +
    'tries again.',
  DeletionError: 'It cannot be deleted. What holds it is in the message; often a finalizer of an object.',
  UnknownError: 'Look at the log of the controller at this time.',
  SharedResourceWarning: 'Two applications deliver one object. Take it out of one of them.',
  RepeatedResourceWarning: 'One object stands twice in the manifests. Remove one.',
  OrphanedResourceWarning:
    'The namespace has objects that no application delivers. Add them to git, or ignore them in the project.',
  ExcludedResourceWarning:
    'The settings exclude this kind (resource.exclusions). Take it out of git or out of the exclusions.',
  AnnotationWarning: 'An annotation does not say what it should; the message names it.',
};

export function hintFor(type: string): string {
  return Object.hasOwn(HINTS, type) ? (HINTS[type] ?? '') : '';
}
