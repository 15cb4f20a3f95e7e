import { chosenClusters } from '../../contracts/deliver/clusters.js';
import type { ClusterName } from '../../contracts/deliver/case.js';
import { DocumentsLab, walksMissing } from '../../contracts/documents/documents-lab.js';
import { readWalk, walkedSeeds, type Walk, type WalkChapter } from '../../contracts/documents/read-walk.js';
import { runTrials, type Proof } from './trials/proof.js';

interface WalkTrial {
  readonly cluster: ClusterName;
  readonly walk: Walk;
  readonly chapter: WalkChapter;
}

/** First all of them on the embedded cluster, then all on the real control plane. */
const trials = (['embedded', 'real'] as const).flatMap((cluster) =>
  walkedSeeds().flatMap((seed): WalkTrial[] => {
    const walk = readWalk(seed);
    const chapters = walk?.chapters.filter(({ clusters }) => clusters.includes(cluster)) ?? [];
    return walk === undefined ? [] : chapters.map((chapter) => ({ cluster, walk, chapter }));
  }),
);

/**
 * The walks of the documents' authors, whole: from empty folders, with their commands and manifests word for word, on
 * one `argosy up`, and on a real control plane with `argosy controller` and `argosy serve`.
 */
export const proof: Proof = {
  name: 'documents',
  sizes: { smoke: 1, full: Math.max(1, trials.length) },
  async run(context) {
    const absent = (await walksMissing()) ?? (await chosenClusters('real')[0]?.missing());
    if (absent !== undefined) throw new Error(absent);
    const open = new OpenLab();
    try {
      return await runTrials(context, async (index) => {
        const [found] = trials.slice(index % trials.length);
        if (found === undefined) throw new Error('there are no walks');
        const { cluster, walk, chapter } = found;
        const name = `${cluster}, ${walk.seed}: ${chapter.name}`;
        const wrong = await (await open.on(cluster)).walk(walk, chapter);
        context.log(`${name}: ${wrong === undefined ? 'as it should be' : 'wrong'}`);
        return {
          wrong: wrong === undefined ? [] : [`${name}: ${wrong}`],
          counts: { [`chapters on the ${cluster} cluster`]: 1, steps: chapter.steps.length },
        };
      });
    } finally {
      await open.close();
    }
  },
};

/** One lab at a time. */
class OpenLab {
  #lab: DocumentsLab | undefined;

  async on(cluster: ClusterName): Promise<DocumentsLab> {
    if (this.#lab?.cluster === cluster) return this.#lab;
    await this.close();
    this.#lab = await DocumentsLab.open(cluster);
    return this.#lab;
  }

  async close(): Promise<void> {
    await this.#lab?.close();
    this.#lab = undefined;
  }
}
