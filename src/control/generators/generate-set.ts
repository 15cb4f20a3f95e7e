import { textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApplicationSetTemplates } from '../../render/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import { readDecisions } from './read-decisions.js';
import { generateApplications } from './generate-applications.js';
import { createGitReader, type GitQuery } from './git-reader.js';

export type GenerateOptions = Omit<GitQuery, 'project' | 'set'>;

/** In whose name the repositories of a set are read; nobody's where its template leaves open which project it is. */
export function projectOfSet(set: KubeObject): string {
  const project = textAt(set, 'spec', 'template', 'spec', 'project');
  return project.includes('{{') ? '' : project;
}

/** Whether its applications could go to a cluster of this project, as far as it is known which project theirs is. */
function isUsable(clusterProject: string, set: KubeObject): boolean {
  const project = textAt(set, 'spec', 'template', 'spec', 'project') || 'default';
  return project === clusterProject || project.includes('{{');
}

function placeOf({ metadata: { name = '', namespace = '' } }: KubeObject): GitQuery['set'] {
  return { name, namespace };
}

/** The Applications that an ApplicationSet means now. Nothing is written. */
export function generateSet(
  set: KubeObject,
  context: Pick<ReconcileContext, 'cluster' | 'controlNamespace' | 'controlPlane' | 'renderer'>,
  how: GenerateOptions = {},
): Promise<KubeObject[]> {
  const { controlPlane, renderer } = context;
  return generateApplications(set, {
    clusters: () => controlPlane.clusterFacts.filter(({ project }) => project === '' || isUsable(project, set)),
    git: createGitReader({ ...how, project: projectOfSet(set), set: placeOf(set) }, context),
    decisions: (generator) => readDecisions(generator, context),
    filePatterns: controlPlane.settings.applicationSets.filePatterns,
    templates: new ApplicationSetTemplates(renderer.host),
  });
}
