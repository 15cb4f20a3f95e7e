import { textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ApplicationSetTemplates } from '../../render/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import { readDecisions } from './read-decisions.js';
import { generateApplications } from './generate-applications.js';
import { createGitReader, type GitQuery } from './git-reader.js';

export type GenerateOptions = Omit<GitQuery, 'project'>;

/** The Applications that an ApplicationSet means now. Nothing is written. */
export function generateSet(
  set: KubeObject,
  context: Pick<ReconcileContext, 'cluster' | 'controlNamespace' | 'controlPlane' | 'renderer'>,
  how: GenerateOptions = {},
): Promise<KubeObject[]> {
  const { controlPlane, renderer } = context;
  const project = textAt(set, 'spec', 'template', 'spec', 'project');
  return generateApplications(set, {
    clusters: () => controlPlane.clusterFacts,
    git: createGitReader({ ...how, project: project.includes('{{') ? '' : project }, context),
    decisions: (generator) => readDecisions(generator, context),
    filePatterns: controlPlane.settings.applicationSets.filePatterns,
    templates: new ApplicationSetTemplates(renderer.host),
  });
}
