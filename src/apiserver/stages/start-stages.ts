import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/index.js';
import type { Controller } from '../controllers/controller.js';
import { inProcessClient } from '../in-process-client.js';
import type { RestContext } from '../rest/context.js';
import { readStages } from './read-stage.js';
import type { Stage } from './stage.js';
import { stageController } from './stage-controller.js';

/** Every stage of a directory and the directories in it, in the order of file names. */
export async function readStageDirectory(directory: string): Promise<Stage[]> {
  const stages: Stage[] = [];
  for (const file of (await filesIn(directory)).filter((name) => /\.ya?ml$/.test(name)).sort()) {
    stages.push(...readStages(await readFile(join(directory, file), 'utf8'), join(directory, file)));
  }
  return stages;
}

async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory, { recursive: true });
  } catch (error) {
    throw new Fault('STAGE_INVALID', 'the directory of stages cannot be read', { where: directory, cause: error });
  }
}

/** One controller for each name that stages give; two stages of one controller and kind must not have the same name. */
export function stageControllers(stages: readonly Stage[]): Controller[] {
  const groups = new Map<string, Stage[]>();
  for (const stage of stages) {
    const group = groups.get(stage.controller) ?? [];
    const twin = group.find(({ name, match }) => name === stage.name && match.group === stage.match.group && match.kind === stage.match.kind);
    if (twin !== undefined) throw new Fault('STAGE_INVALID', `stage ${JSON.stringify(stage.name)}: name: ${twin.file} has a stage of ${stage.match.kind} with this name already`, { where: stage.file });
    groups.set(stage.controller, [...group, stage]);
  }
  return [...groups].map(([name, group]) => stageController(name, group));
}

/** Starts stages on a server; each controller writes under its own name. */
export function startStages({ context, log }: { readonly context: RestContext; readonly log: (line: string) => void }, stages: readonly Stage[]): { close(): void } {
  const running = stageControllers(stages).map((controller) => controller.start({ client: inProcessClient(context, controller.name), clock: context.clock, log }));
  return {
    close() {
      for (const each of running) each.close();
    },
  };
}
