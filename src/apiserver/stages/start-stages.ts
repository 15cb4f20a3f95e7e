import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import type { Logger } from '../../model/logging/index.js';
import { type Controller, inProcessClient } from '../controller-runtime/index.js';
import type { RestContext } from '../rest/index.js';
import type { Probes } from './probe.js';
import { admissionStages } from './admission-stages.js';
import { readStages } from './read-stage.js';
import type { Stage } from './stage.js';
import { stageController } from './stage-controller.js';

/** Every stage of a directory and the directories in it, in the order of file names. */
export async function readStageDirectory(directory: string): Promise<Stage[]> {
  const stages: Stage[] = [];
  for (const file of (await filesIn(directory)).filter((name) => /\.ya?ml$/.test(name)).sort()) {
    stages.push(...readStages(await readFile(join(directory, file), 'utf8'), join(directory, file)));
  }
  checkNames(stages);
  return stages;
}

async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory, { recursive: true });
  } catch (error) {
    throw new Fault('USAGE', 'the directory of --stages cannot be read', { where: directory, cause: error });
  }
}

/** Two stages of one controller and kind must not have the same name: messages would be ambiguous. */
export function checkNames(stages: readonly Stage[]): void {
  const seen = new Map<string, Stage>();
  for (const stage of stages) {
    const {
      controller,
      name,
      file,
      match: { group, kind },
    } = stage;
    const twin = seen.get([controller, group, kind, name].join('/'));
    if (twin !== undefined)
      throw new Fault(
        'STAGE_INVALID',
        `stage ${JSON.stringify(name)}: name: ${twin.file} has a stage of ${kind} with this name already`,
        { where: file },
      );
    seen.set([controller, group, kind, name].join('/'), stage);
  }
}

/** One controller for each name that stages give; those at admission are no controllers. */
export function stageControllers(stages: readonly Stage[], probes: Probes = {}): Controller[] {
  checkNames(stages);
  const loops = stages.filter(({ admission }) => !admission);
  const names = [...new Set(loops.map(({ controller }) => controller))];
  return names.map((name) =>
    stageController(
      name,
      loops.filter(({ controller }) => controller === name),
      probes,
    ),
  );
}

/** Lets stages with `admission` change what is written from now on. */
export function startAdmission(context: RestContext, stages: readonly Stage[]): void {
  const atWrites = stages.filter(({ admission }) => admission);
  if (atWrites.length > 0) context.admission.push(admissionStages(atWrites, context.clock));
}

/** The server that stages work on. */
export interface StageHost {
  readonly context: RestContext;
  readonly log: Logger;
  readonly probes?: Probes;
}

/** Starts stages on a server; each controller writes under its own name. */
export function startStages({ context, log, probes = {} }: StageHost, stages: readonly Stage[]): { close(): void } {
  startAdmission(context, stages);
  const running = stageControllers(stages, probes).map((controller) =>
    controller.start({ client: inProcessClient(context, controller.name), clock: context.clock, log }),
  );
  return {
    close() {
      for (const each of running) each.close();
    },
  };
}
