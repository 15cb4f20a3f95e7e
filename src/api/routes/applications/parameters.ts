import { flag, list, text, integer, type Values } from '../../route/index.js';

export const TAG = 'applications';

/** Which application, beside its name in the path. */
export const APPLICATION_PARAMETERS = {
  appNamespace: text("The namespace of the Application; the control plane's by default."),
  project: list(text(), 'The project that it must belong to.'),
};

/** What a list, the fleet and a stream can be limited to. The first seven are Argo CD's. */
export const FILTERS = {
  name: text(),
  appNamespace: text(),
  projects: list(text()),
  project: list(text()),
  selector: text('Labels, as kubectl takes them.'),
  repo: text(),
  resourceVersion: text(),
  search: text('Text to find in the name, labels, project, source or destination.', { maxLength: 1000 }),
  sync: list(text()),
  health: list(text()),
  cluster: list(text()),
  namespace: list(text()),
  autoSync: flag(),
};

export const PAGE = {
  limit: integer('Applications a page; 0 for all.', { min: 0, max: 100_000 }),
  offset: integer('Applications before the page.', { min: 0 }),
};

/** One object of an application. */
export const OBJECT_PARAMETERS = {
  ...APPLICATION_PARAMETERS,
  namespace: text(),
  resourceName: text(),
  version: text(),
  group: text(),
  kind: text(),
};

export function projectsOf({
  projects = [],
  project = [],
}: Pick<Values<typeof FILTERS>, 'projects' | 'project'>): readonly string[] {
  return projects.length > 0 ? projects : project;
}
