import { folderTree } from '../../contracts/render/folder-tree.js';
import { buildOurs, compare, type Comparison } from '../../contracts/render/kustomize/compare.js';
import { listOverlays } from '../../contracts/render/kustomize/overlays.js';
import { randomOverlay } from '../../contracts/render/kustomize/random-overlay.js';
import { RealKustomize } from '../../contracts/render/kustomize/real-kustomize.js';
import type { Tree } from '../../src/model/formats/index.js';
import { runTrials, type Proof, type Trial } from './trials/proof.js';

/**
 * Kustomizations give what kustomize 5.8.1 gives, byte by byte, or fail where it fails. The first trials are all
 * overlays of the modules, the others are made by chance. `remote` are those that need something from elsewhere; they
 * are not built.
 */
export const proof: Proof = {
  name: 'kustomize-overlays',
  sizes: { smoke: 20, full: 2_000 },
  async run(context) {
    const kustomize = await RealKustomize.open();
    if (typeof kustomize === 'string') throw new Error(kustomize);
    const listed = await listOverlays();
    if (listed.kind === 'missing') throw new Error(`skipped: overlays (${listed.reason})`);
    const trees = new Map<string, Tree>();
    return runTrials(context, async (index) => {
      const overlay = listed.overlays[index];
      if (overlay === undefined) return byChance(kustomize, context.seed * 100_003 + index);
      const { module, root, path } = overlay;
      const tree = trees.get(root) ?? folderTree(root);
      trees.set(root, tree);
      return trial(module, `${module}/${path}`, compare(buildOurs(tree, path), await kustomize.build(root, path)));
    });
  },
};

async function byChance(kustomize: RealKustomize, seed: number): Promise<Trial> {
  let found: Trial | undefined;
  await kustomize.buildFiles(randomOverlay(seed), 'top', (root, real) => {
    found = trial('chance', `seed ${seed}`, compare(buildOurs(folderTree(root), 'top'), real));
  });
  return found ?? { wrong: [`seed ${seed}: no build`], counts: {} };
}

function trial(group: string, name: string, { verdict, first, sameWords }: Comparison): Trial {
  const isWrong = verdict === 'different' || verdict === 'fails otherwise';
  const counts = {
    [`${group}: ${verdict}`]: 1,
    ...(verdict === 'fails alike' && { [`${group}: with the same words`]: sameWords ? 1 : 0 }),
  };
  return { wrong: isWrong ? [`${name}: ${verdict}\n${first}`] : [], counts };
}
