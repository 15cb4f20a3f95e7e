import type { Reply } from './question.js';

/** Answers of the enforcer of Argo CD 3.5.6 to the first questions by chance. */
export const RECORDED = { file: 'recorded.json', questions: 200 } as const;

/** One character a wish; `broken` where the settings cannot be used. */
export function recordedText({ isBroken, allowed }: Reply): string {
  return isBroken ? 'broken' : allowed.map((each) => (each ? 'y' : 'n')).join('');
}
