import type { ReactNode } from 'react';
import type { PatchView } from '../../src/model/api/index.js';
import { Patch } from '../parts/code';
import { CopyButton, DownloadButton } from '../parts/copy';
import { sentenceOf } from '../parts/sentence';
import { fixPlace, repositoryName } from './fix-place';

/** Copy and download of all files of a patch together, as `git apply` takes them. */
export function PatchActions({
  patches,
  name,
}: {
  readonly patches: readonly PatchView[];
  readonly name: string;
}): ReactNode {
  const text = patches.map(({ diff }) => diff).join('');
  return text === '' ? null : (
    <div className="actions">
      <CopyButton text={text} label="Copy patch" />
      <DownloadButton text={text} file={`argosy-${name.toLowerCase()}.patch`} />
    </div>
  );
}

/** What git has to say otherwise, file by file, and how that was tried. */
export function Patches({
  patches,
  proof,
}: {
  readonly patches: readonly PatchView[];
  readonly proof: readonly string[];
}): ReactNode {
  return (
    <>
      {patches.map((patch) => (
        <OneFile key={`${patch.repository} ${patch.file}`} patch={patch} />
      ))}
      {proof.length === 0 ? null : (
        <ul className="proof" aria-label="How the patch was verified">
          {proof.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function OneFile({ patch: { repository, revision, file, line, diff } }: { readonly patch: PatchView }): ReactNode {
  const place = (
    <>
      <span className="code-name">
        {file}:{line}
      </span>
      <span className="faint cut" title={repository}>
        {repositoryName(repository)}
        {revision === '' ? '' : ` at ${revision}`}
      </span>
    </>
  );
  if (diff === '')
    return (
      <figure className="code">
        <figcaption>{place}</figcaption>
        <p className="code-note">
          This file contains secrets and is not shown. Run <code>argosy triage --fix</code> in a clone to create the
          patch.
        </p>
      </figure>
    );
  return <Patch text={withoutHead(diff)} label={`Patch of ${file}`} file={place} />;
}

/** The file is named above it already. */
function withoutHead(diff: string): string {
  const at = diff.indexOf('\n@@');
  return at < 0 ? diff : diff.slice(at + 1);
}

/** What to do, in a sentence, and below it where. */
export function FixSentence({ text }: { readonly text: string }): ReactNode {
  const { say, place } = fixPlace(text);
  return (
    <div>
      <p>{sentenceOf(say)}</p>
      {place === '' ? null : <p className="faint small-text">{place}</p>}
    </div>
  );
}
