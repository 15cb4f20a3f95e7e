/** One character of a template, and whether it followed a `%`. */
export interface TemplateItem {
  readonly char: string;
  readonly isFlagged: boolean;
}

/**
 * Reads templates with `%` as gopher-lua does for gsub and os.date: `%%` is a plain `%`, and so is a `%` at the end.
 */
export class FlagScanner {
  private at = 0;

  constructor(private readonly template: string) {}

  next(): TemplateItem | undefined {
    const { template, at } = this;
    if (at >= template.length) return undefined;
    const char = template.charAt(at);
    if (char !== '%' || at === template.length - 1) {
      this.at++;
      return { char, isFlagged: false };
    }
    const follower = template.charAt(at + 1);
    this.at += 2;
    return { char: follower, isFlagged: follower !== '%' };
  }
}
