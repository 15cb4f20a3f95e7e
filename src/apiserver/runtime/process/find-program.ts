import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../../model/json/index.js';
import { items, text } from '../../resources/index.js';

/** What to install for programs that notebooks need. */
const PACKAGES: Readonly<Record<string, string>> = {
  python3: 'Debian has it as python3, with python3-nbclient and python3-ipykernel for notebooks',
  git: 'Debian has it as git',
};

/**
 * Undefined where the program can be started; else the sentence why not. Programs in volumes are found out by starting
 * them.
 */
export function findProgram(program: string, path: string, container: JsonObject): string | undefined {
  if (
    isAbsolute(program)
      ? items(container, 'volumeMounts').some((mount) => program.startsWith(text(mount, 'mountPath')))
      : program.includes('/')
  )
    return undefined;
  const candidates = isAbsolute(program) ? [program] : path.split(':').map((folder) => join(folder, program));
  if (candidates.some(isExecutable)) return undefined;
  const advice = PACKAGES[program.slice(program.lastIndexOf('/') + 1)];
  return (
    `exec: ${JSON.stringify(program)}: executable file not found on this ` +
    `machine${advice === undefined ? '' : `; ${advice}`}`
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
