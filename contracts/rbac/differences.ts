import type { Question, Reply } from './question.js';

/** Where the two do not agree, with everything needed to see why; empty where they do. */
export function differences(question: Question, theirs: Reply, ours: Reply): string[] {
  if (theirs.isBroken !== ours.isBroken)
    return [
      `settings that ${theirs.isBroken ? 'Argo CD' : 'only Argosy'} cannot use: ${JSON.stringify(question.data)}`,
    ];
  return question.asks.flatMap((ask, index) =>
    theirs.allowed[index] === ours.allowed[index]
      ? []
      : [
          `Argo CD ${theirs.allowed[index] === true ? 'allows' : 'refuses'} ${JSON.stringify(ask)} with ` +
            `${JSON.stringify(question.data)} and ` +
            JSON.stringify(question.projects.map(({ metadata, spec }) => ({ name: metadata.name, spec }))),
        ],
  );
}
