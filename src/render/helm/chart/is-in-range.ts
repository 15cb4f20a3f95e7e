import { Fault } from '../../../model/faults/index.js';
import { parseSemver, parseSemverRange, satisfies } from '../../../model/formats/index.js';

/** Whether a version fits a range; one that cannot be read does not, and no range fits nothing. */
export function isInRange(version: string, range: string): boolean {
  try {
    return satisfies(parseSemver(version), parseSemverRange(range));
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}
