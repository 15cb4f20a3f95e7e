import type { ReactNode } from 'react';
import { diffLines, withGaps } from './line-diff';

const LINE_CLASSES = { same: 'line', added: 'line is-added', removed: 'line is-removed' };
const LINE_SIGNS = { same: '  ', added: '+ ', removed: '- ' };

/** Two texts as one: what goes, what comes, and a few lines around. */
export function DiffText({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}): ReactNode {
  const lines = withGaps(diffLines(before, after));
  if (lines.length === 0) return <p className="muted">No differences.</p>;
  return (
    <figure className="code">
      <figcaption>
        <span className="code-name">{label}</span>
        <span className="faint">− live, + git</span>
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>
          {lines.map((line, index) =>
            line.kind === 'gap' ? (
              <span key={index} className="line is-place">
                {`⋯ ${line.count} lines`}
                {'\n'}
              </span>
            ) : (
              <span key={index} className={LINE_CLASSES[line.kind]}>
                {LINE_SIGNS[line.kind]}
                {line.text}
                {'\n'}
              </span>
            ),
          )}
        </code>
      </pre>
    </figure>
  );
}
