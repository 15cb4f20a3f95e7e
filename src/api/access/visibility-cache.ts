/** What one person sees of the applications while rights stay as they are: each is judged once. */
export class VisibilityCache {
  readonly #verdicts = new Map<string, boolean>();
  readonly #judge: (object: string) => boolean;

  constructor(judge: (object: string) => boolean) {
    this.#judge = judge;
  }

  /** `object` is the name that policies know an application by. */
  isVisible(object: string): boolean {
    const known = this.#verdicts.get(object);
    if (known !== undefined) return known;
    const verdict = this.#judge(object);
    this.#verdicts.set(object, verdict);
    return verdict;
  }
}
