import { textAt, type KubeObject } from '../../model/index.js';
import { SetTemplates } from '../../render/index.js';
import type { Desk } from '../delivery/desk.js';
import { readDecisions } from './decision-facts.js';
import { generateApplications } from './generate/generate-applications.js';
import { gitReader, type GitQuestion } from './git-facts.js';

export type GenerateHow = Omit<GitQuestion, 'project'>;

/** The Applications that an ApplicationSet means now. Nothing is written. */
export function generateSet(
  set: KubeObject,
  desk: Pick<Desk, 'cluster' | 'controlNamespace' | 'home' | 'workshop'>,
  how: GenerateHow = {},
): Promise<KubeObject[]> {
  const { home, workshop } = desk;
  const project = textAt(set, 'spec', 'template', 'spec', 'project');
  return generateApplications(set, {
    clusters: () => home.clusterFacts,
    git: gitReader({ ...how, project: project.includes('{{') ? '' : project }, desk),
    decisions: (generator) => readDecisions(generator, desk),
    filePatterns: home.settings.applicationSets.filePatterns,
    templates: new SetTemplates(workshop.host),
  });
}
