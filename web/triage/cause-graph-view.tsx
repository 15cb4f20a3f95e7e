import type { ReactNode } from 'react';
import type { CauseView as Cause } from '../../src/model/api/index.js';
import { causeGraph, shorten, type GraphBox } from './cause-graph';

/** From the cause on top to those who suffer. */
export function CauseGraphView({ cause }: { readonly cause: Cause }): ReactNode {
  const { width, height, boxes, arrows } = causeGraph(cause);
  return (
    <div className="graph" tabIndex={0} role="group" aria-label="Impact path, from the root cause">
      <svg
        width={width + 4}
        height={height + 4}
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
        role="img"
        aria-label={boxes
          .map(({ kind, name, says }) => `${kind} ${name}${says === '' ? '' : `: ${says}`}`.trim())
          .join('; then ')}
      >
        <defs>
          <marker id="arrow-head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" className="graph-head" />
          </marker>
        </defs>
        {arrows.map(({ id, path, label, x, y, isLoose }) => (
          <g key={id}>
            <path d={path} className={`graph-arrow${isLoose ? ' is-loose' : ''}`} markerEnd="url(#arrow-head)" />
            {label === '' ? null : (
              <text x={x} y={y} className="graph-label">
                {shorten(label, 46)}
                <title>{label}</title>
              </text>
            )}
          </g>
        ))}
        {boxes.map((box) =>
          box.role === 'root' || box.role === 'step' ? (
            <StepBox key={box.id} box={box} />
          ) : (
            <EndBox key={box.id} box={box} />
          ),
        )}
      </svg>
    </div>
  );
}

function StepBox({ box }: { readonly box: GraphBox }): ReactNode {
  return (
    <g transform={`translate(${box.x} ${box.y})`} className={`graph-box is-${box.role}`}>
      <title>{[`${box.kind} ${box.name}`.trim(), box.says].filter((text) => text !== '').join(': ')}</title>
      <rect width={box.width} height={box.height} rx="9" />
      <text x="14" y="25">
        <tspan className="graph-kind">{box.kind}</tspan>
        <tspan className="graph-name" dx={box.kind === '' ? 0 : 7}>
          {shorten(box.name, 42 - box.kind.length)}
        </tspan>
      </text>
      <text x="14" y="45" className="graph-says">
        {shorten(withoutName(box), 50)}
      </text>
    </g>
  );
}

/** The name stands above it already. */
function withoutName({ kind, name, says }: GraphBox): string {
  return says.startsWith(`${kind} ${name} `) ? says.slice(kind.length + name.length + 2) : says;
}

function EndBox({ box }: { readonly box: GraphBox }): ReactNode {
  return (
    <g transform={`translate(${box.x} ${box.y})`} className={`graph-box is-${box.role}`}>
      <title>{box.name}</title>
      <rect width={box.width} height={box.height} rx="8" />
      <text x="12" y="21.5" className="graph-name">
        {shorten(box.name, 25)}
      </text>
    </g>
  );
}
