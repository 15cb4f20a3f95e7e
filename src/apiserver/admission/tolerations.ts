import { equal, type JsonObject } from '../../model/json/index.js';
import { ensure, items, number, text } from '../resources/index.js';
import type { AdmissionPlugin } from '../rest/index.js';
import { isAbout } from './head-lister.js';

const NODE_TROUBLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A pod stays five minutes on a node that is not ready or not reachable, unless it says otherwise. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate(request) {
    if (!request.object || request.operation === 'DELETE' || !isAbout(request, '', 'pods')) return;
    const spec = ensure(request.object, 'spec');
    const known = items(spec, 'tolerations');
    const added = NODE_TROUBLE.filter(
      (key) =>
        !known.some(
          (toleration) =>
            ['', key].includes(text(toleration, 'key')) && ['', 'NoExecute'].includes(text(toleration, 'effect')),
        ),
    ).map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
    if (added.length > 0) spec.tolerations = [...known, ...added];
  },
};

/** Both lists without what another entry covers already. */
export function mergeTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject[] {
  const all = [...first, ...second];
  const merged: JsonObject[] = [];
  all.forEach((toleration, index) => {
    const covered =
      merged.some((other) => coversToleration(other, toleration)) ||
      all.slice(index + 1).some((other) => !equal(other, toleration) && coversToleration(other, toleration));
    if (!covered) merged.push(toleration);
  });
  return merged;
}

function coversToleration(wide: JsonObject, narrow: JsonObject): boolean {
  if (equal(wide, narrow)) return true;
  const everyKey = text(wide, 'key') === '' && text(wide, 'operator') === 'Exists';
  if (text(wide, 'key') !== text(narrow, 'key') && !everyKey) return false;
  if (text(wide, 'effect') !== text(narrow, 'effect') && text(wide, 'effect') !== '') return false;
  const [limit, asked] = [number(wide, 'tolerationSeconds'), number(narrow, 'tolerationSeconds')];
  if (text(wide, 'effect') === 'NoExecute' && limit !== undefined && (asked === undefined || asked > limit))
    return false;
  if (text(wide, 'operator') === 'Exists') return true;
  return text(narrow, 'operator') === 'Equal' && text(narrow, 'value') === text(wide, 'value');
}
