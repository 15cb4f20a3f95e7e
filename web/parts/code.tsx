import type { ReactNode } from 'react';
import { CopyButton } from './copy';

/** Text of a file or a terminal, with line numbers where they help; scrolls by itself, also by keyboard. */
export function Code({
  text,
  label,
  hasNumbers,
  file,
}: {
  readonly text: string;
  readonly label: string;
  readonly hasNumbers?: boolean;
  readonly file?: string;
}): ReactNode {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <figure className="code">
      <figcaption>
        <span className="code-name">{file ?? label}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code className={hasNumbers === true ? 'has-numbers' : undefined}>
          {lines.map((line, index) => (
            <span key={index} className={`line ${lineKind(line)}`}>
              {line === '' ? '\u200b' : yamlLine(line)}
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}

function lineKind(line: string): string {
  return /^\s*#/.test(line) ? 'is-comment' : '';
}

/** The key of a line of YAML is set apart; everything else stays as it is. */
function yamlLine(line: string): ReactNode {
  const match = /^(\s*(?:- )?)([\w./"@-]+)(:)(?= |$)(.*)$/.exec(line);
  if (match === null) return line;
  const [, indent, key, colon, rest] = match;
  return (
    <>
      {indent}
      <span className="code-key">{key}</span>
      {colon}
      {rest}
    </>
  );
}

/** A unified diff: what goes, what comes. */
export function Patch({
  text,
  label,
  file,
}: {
  readonly text: string;
  readonly label: string;
  readonly file?: ReactNode;
}): ReactNode {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    <figure className="code">
      {file === undefined ? null : <figcaption>{file}</figcaption>}
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>
          {lines.map((line, index) => (
            <span key={index} className={`line ${patchKind(line)}`}>
              {line === '' ? '\u200b' : line}
              {'\n'}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}

function patchKind(line: string): string {
  if (line.startsWith('+++') || line.startsWith('---')) return 'is-file';
  if (line.startsWith('@@')) return 'is-place';
  if (line.startsWith('+')) return 'is-added';
  return line.startsWith('-') ? 'is-removed' : '';
}
