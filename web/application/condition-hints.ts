/** What to do about a condition, by type. */
const HINTS: Readonly<Record<string, string>> = {
  ComparisonError: 'The source cannot be rendered or compared. Fix it in git, or fix repoURL, path or targetRevision.',
  InvalidSpecError: 'The Application is invalid: check its project, destination and source.',
  SyncError: 'The last automated sync failed; see its message under History. The next commit or a manual sync retries.',
  DeletionError: 'The deletion is blocked; the message says by what, often a finalizer.',
  UnknownError: 'See the controller log at this time.',
  SharedResourceWarning: 'Two applications manage the same resource. Remove it from one of them.',
  RepeatedResourceWarning: 'The manifests contain a resource twice. Remove one.',
  OrphanedResourceWarning:
    'The namespace has resources that no application manages. Add them to git, or ignore them in the project.',
  ExcludedResourceWarning:
    'The settings exclude this kind (resource.exclusions). Remove it from git or from the exclusions.',
  AnnotationWarning: 'An annotation is invalid; the message names it.',
};

export function hintFor(type: string): string {
  return Object.hasOwn(HINTS, type) ? (HINTS[type] ?? '') : '';
}
