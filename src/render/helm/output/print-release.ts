import { trim } from './split-documents.js';

export interface PrintedDocument {
  readonly source: string;
  readonly text: string;
}

/** What `helm template` prints: manifests trimmed as a whole, hooks after them. */
export function printRelease(manifests: readonly PrintedDocument[], hooks: readonly PrintedDocument[]): string {
  return `${trim(manifests.map(print).join(''))}\n${hooks.map(print).join('')}`;
}

function print({ source, text }: PrintedDocument): string {
  return `---\n# Source: ${source}\n${text}\n`;
}
