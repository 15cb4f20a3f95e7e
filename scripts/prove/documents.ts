import { DocumentsLab, walksMissing } from '../../contracts/documents/documents-lab.js';
import { readWalk, walkedSeeds } from '../../contracts/documents/read-walk.js';
import { runTrials, type Proof } from './trials/proof.js';

const chapters = walkedSeeds().flatMap((seed) => {
  const walk = readWalk(seed);
  return walk === undefined ? [] : walk.chapters.map((chapter) => ({ walk, chapter }));
});

/**
 * The walks of the documents' authors, whole: from empty folders, with their commands and manifests word for word, on
 * one `argosy up`.
 */
export const proof: Proof = {
  name: 'documents',
  sizes: { smoke: 1, full: Math.max(1, chapters.length) },
  async run(context) {
    const absent = await walksMissing();
    if (absent !== undefined) throw new Error(absent);
    const lab = await DocumentsLab.open('embedded');
    try {
      return await runTrials(context, async (index) => {
        const [found] = chapters.slice(index % chapters.length);
        if (found === undefined) throw new Error('there are no walks');
        const { walk, chapter } = found;
        const name = `${walk.seed}: ${chapter.name}`;
        if (chapter.pending !== undefined) {
          context.log(`${name}: waits (${chapter.pending})`);
          return { wrong: [], counts: { 'chapters that wait': 1 } };
        }
        const wrong = await lab.walk(walk, chapter);
        context.log(`${name}: ${wrong === undefined ? 'as it should be' : 'wrong'}`);
        return {
          wrong: wrong === undefined ? [] : [`${name}: ${wrong}`],
          counts: { chapters: 1, steps: chapter.steps.length, [`chapters of ${walk.seed}`]: 1 },
        };
      });
    } finally {
      await lab.close();
    }
  },
};
