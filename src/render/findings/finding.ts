/** Something that renders and is still likely wrong. */
export interface Finding {
  readonly rule: 'part-left-out' | 'unset-shell-variable';
  /** Where to look. */
  readonly place: { readonly file: string; readonly line: number };
  readonly message: string;
}
