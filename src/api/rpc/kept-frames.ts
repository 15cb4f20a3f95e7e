/** Texts shorter than this are written faster than they are looked up. */
const MIN_LENGTH = 500;
const MAX_KEPT = 64;

/** Messages of the newest texts: many watch the same applications, and each gets the same text. */
export class KeptFrames {
  readonly #frames = new Map<string, Buffer>();

  of(text: string, write: () => Buffer): Buffer {
    if (text.length < MIN_LENGTH) return write();
    const known = this.#frames.get(text);
    if (known !== undefined) return known;
    const frame = write();
    this.#frames.set(text, frame);
    const [oldest] = this.#frames.keys();
    if (this.#frames.size > MAX_KEPT && oldest !== undefined) this.#frames.delete(oldest);
    return frame;
  }
}
