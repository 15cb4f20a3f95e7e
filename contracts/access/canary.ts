/** Texts that must not be seen anywhere, and every form in which one could slip through. */
export class Canary {
  readonly plain: string;

  constructor(name: string) {
    // With signs that JSON, HTML and addresses write otherwise.
    this.plain = `c4n"4ry<${name}>\\7f3a9c`;
  }

  /** As the data of a Secret has it. */
  get base64(): string {
    return Buffer.from(this.plain).toString('base64');
  }

  get forms(): readonly string[] {
    const escaped = JSON.stringify(this.plain).slice(1, -1);
    const forms = [
      this.plain,
      escaped,
      JSON.stringify(escaped).slice(1, -1),
      this.base64.replace(/=+$/, ''),
      Buffer.from(this.base64).toString('base64').replace(/=+$/, ''),
      Buffer.from(this.plain).toString('hex'),
      encodeURIComponent(this.plain),
      this.plain.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'),
      escaped.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'),
    ];
    return [...new Set(forms)];
  }
}

/** Which of them a text shows, with what stands around it. */
export function leaksIn(text: string, canaries: readonly Canary[]): string[] {
  return canaries.flatMap((canary) =>
    canary.forms
      .filter((form) => text.includes(form))
      .map((form) => {
        const at = text.indexOf(form);
        return `${form} in ...${text.slice(Math.max(0, at - 120), at + form.length + 20)}`;
      }),
  );
}
