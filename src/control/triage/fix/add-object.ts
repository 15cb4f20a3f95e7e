import { keyOf, keyText, type KubeObject } from '../../../model/kubernetes/index.js';
import { writeYaml } from '../../../model/yaml/index.js';
import type { Addition } from '../../../triage/index.js';
import { checkoutOf, withChange, type Changes } from './checkout.js';
import { manifestOf } from './render-applications.js';
import { projectOf, sourcesOf } from '../../../model/argo/index.js';
import { ownersOf, type PatchContext } from './solve-edit.js';

/**
 * The same changes and a file with the object, in the folder of whoever delivers what it stands beside; none where it
 * comes already. Undefined where no folder takes it.
 */
export function addObject({ object, beside }: Addition, changes: Changes, bench: PatchContext): Changes | undefined {
  const delivers = (application: KubeObject, tried: Changes): boolean => {
    const render = bench.renderer.render(application, tried);
    return render !== undefined && manifestOf(render, keyOf(object), application) !== undefined;
  };
  if (bench.applications.some((application) => delivers(application, changes))) return changes;
  for (const application of ownersOf(beside, bench)) {
    for (const { repoURL, targetRevision, path } of sourcesOf(application)) {
      const checkout = checkoutOf(bench.renderer.checkouts, {
        url: String(repoURL),
        revision: typeof targetRevision === 'string' ? targetRevision : '',
        project: projectOf(application),
      });
      if (checkout === undefined || typeof path !== 'string') continue;
      const name = `${object.kind.toLowerCase()}-${object.metadata.name ?? ''}.yaml`;
      // A chart takes its templates only; what is written here is no template, so nothing of it may look like one.
      for (const file of [`${path}/templates/${name}`, `${path}/${name}`]) {
        const tried = withChange(changes, checkout, file, writeYaml(object).replaceAll('{{', '{{ "{{" }}'));
        if (delivers(application, tried) && !isElsewhere(object, tried, bench, application)) return tried;
      }
    }
  }
  return undefined;
}

/** A folder that several applications share would give the object to all of them. */
function isElsewhere(object: KubeObject, tried: Changes, bench: PatchContext, own: KubeObject): boolean {
  const folders = new Set(sourcesOf(own).map(({ path }) => path));
  return bench.applications.some(
    (other) =>
      other !== own &&
      sourcesOf(other).some(({ path }) => folders.has(path)) &&
      [...(bench.renderer.render(other, tried)?.manifests.keys() ?? [])].includes(keyText(keyOf(object))),
  );
}
