import { useEffect, useRef, type ReactNode } from 'react';
import type { CauseView as Cause, FixView as Fix } from '../../src/model/api/index.js';
import { Badge, toneOf } from '../parts/badge';
import { Code } from '../parts/code';
import { CopyButton } from '../parts/copy';
import { Link } from '../parts/link';
import { sentenceOf } from '../parts/sentence';
import { ago } from '../parts/time';
import { CauseGraphView } from './cause-graph-view';
import { FixSentence, PatchActions, Patches } from './patches';

const RISKS: Readonly<Record<string, string>> = {
  none: 'no risk',
  restart: 'restarts pods',
  'delete-recreate': 'deletes and recreates (downtime)',
  data: 'may lose data',
};
const PLACES: Readonly<Record<string, string>> = {
  git: 'in git',
  cluster: 'in the cluster',
  outside: 'outside the cluster',
};

const STACKED = matchMedia('(max-width: 1100px)');

/** One cause: what it is, what it breaks, how that is known, and how it ends. */
export function CauseDetail({
  cause,
  time,
  isSearched,
  isChosen,
}: {
  readonly cause: Cause;
  readonly time: string;
  readonly isSearched: boolean;
  readonly isChosen: boolean;
}): ReactNode {
  const article = useRef<HTMLElement>(null);
  // Where the list stands above instead of beside, what was chosen would be out of sight.
  useEffect(() => {
    if (isChosen && STACKED.matches) article.current?.scrollIntoView();
  }, [isChosen]);
  return (
    <article ref={article} className="cause-detail" aria-label={cause.title}>
      <div className="stack-small">
        <div className="cause-tags">
          <Badge state={cause.severity}>{cause.name}</Badge>
          <span className={`pill tone-${toneOf(cause.severity)}`}>{cause.impact}</span>
          <span className="pill">{cause.rule}</span>
          {cause.confidence !== 'sure' ? <span className="pill tone-warn">{cause.confidence}</span> : null}
          {cause.since === '' ? null : <span className="faint">since {ago(cause.since, Date.parse(time))}</span>}
        </div>
        <h2>{sentenceOf(cause.title)}</h2>
        <p className="muted">{outcome(cause)}</p>
        <Roots cause={cause} />
      </div>
      <section className="card" aria-label="Impact path">
        <header className="card-head">
          <h3>Impact path</h3>
          <span className="faint">{cause.reach.environments.join(', ')}</span>
        </header>
        <CauseGraphView cause={cause} />
      </section>
      {cause.fix === null ? null : <FixCard fix={cause.fix} cause={cause} isSearched={isSearched} />}
      <div className="two">
        <Proof cause={cause} />
        <Reach cause={cause} />
      </div>
    </article>
  );
}

const MAX_ROOTS = 4;

/** What has to be changed, where the title does not name it. */
function Roots({ cause: { objects, title } }: { readonly cause: Cause }): ReactNode {
  const names = objects
    .map(({ kind, namespace, name }) => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`)
    .filter((name) => !title.includes(name));
  if (names.length === 0) return null;
  return (
    <div className="names">
      {names.slice(0, MAX_ROOTS).map((name) => (
        <span key={name}>{name}</span>
      ))}
      {names.length > MAX_ROOTS ? <span>{names.length - MAX_ROOTS} more</span> : null}
    </div>
  );
}

function outcome({ heals, alone, reach, kind }: Cause): string {
  if (kind === 'waiting') return 'Nothing is broken: waiting as configured.';
  if (alone > 0 && alone === reach.count)
    return `Fixes ${alone === 1 ? 'the application' : `all ${alone} applications`}.`;
  return heals > 0
    ? `Fixes ${heals} of ${reach.count} applications, together with the causes before it.`
    : `Fixes none of ${reach.count} applications alone: other causes have to be fixed too.`;
}

function FixCard({
  fix,
  cause: { patches, proof, name, confidence },
  isSearched,
}: {
  readonly fix: Fix;
  readonly cause: Cause;
  readonly isSearched: boolean;
}): ReactNode {
  return (
    <section className="card" aria-label="Fix">
      <header className="card-head">
        <h3>Fix {patches.length > 0 ? 'in git' : (PLACES[fix.where] ?? '')}</h3>
        <span className="pill">{RISKS[fix.risk] ?? fix.risk}</span>
        {fix.reversible ? <span className="pill tone-good">Reversible</span> : null}
        <PatchActions patches={patches} name={name} />
      </header>
      <div className="card-body stack">
        <FixSentence text={fix.say} />
        {patches.length === 0 && !isSearched && confidence === 'sure' ? (
          <p className="faint small-text" role="status">
            Searching git for the change…
          </p>
        ) : null}
        <Patches patches={patches} proof={proof} />
        {fix.snippet === '' ? null : <Code text={fix.snippet} label="Add" />}
        <Steps fix={fix} />
        {fix.verify === '' ? null : (
          <div>
            <p className="faint small-text">Verify</p>
            <Command text={fix.verify} />
          </div>
        )}
      </div>
    </section>
  );
}

function Steps({ fix: { steps, commands } }: { readonly fix: Fix }): ReactNode {
  if (steps.length === 0) return commands.map((command) => <Command key={command} text={command} />);
  return (
    <ol className="steps">
      {steps.map((step) => (
        <li key={step.say}>
          <p>{sentenceOf(step.say)}</p>
          {step.command === '' ? null : <Command text={step.command} />}
          {step.check === '' ? null : (
            <p className="faint small-text">
              then: <code>{step.check}</code>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Command({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="command">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

function Proof({ cause }: { readonly cause: Cause }): ReactNode {
  return (
    <section className="card" aria-label="Evidence">
      <header className="card-head">
        <h3>Evidence</h3>
      </header>
      <div className="card-body stack">
        <dl className="facts">
          {cause.evidence.map(({ of, path, value }, index) => (
            <FactLine key={index} of={of} path={path} value={value} />
          ))}
        </dl>
        {cause.unverified.length === 0 ? null : (
          <p className="faint small-text">Not verified: {cause.unverified.join('; ')}</p>
        )}
      </div>
    </section>
  );
}

function FactLine({
  of,
  path,
  value,
}: {
  readonly of: string;
  readonly path: string;
  readonly value: string;
}): ReactNode {
  return (
    <>
      <dt>
        <code>{of}</code>
        {path === '' ? null : <div className="faint mono">{path}</div>}
      </dt>
      <dd>{value}</dd>
    </>
  );
}

const MAX_NAMES = 60;

function Reach({ cause: { reach, consequences, next } }: { readonly cause: Cause }): ReactNode {
  return (
    <section className="card" aria-label="Affected applications">
      <header className="card-head">
        <h3>Affected applications</h3>
        <span className="faint">{reach.count}</span>
      </header>
      <div className="card-body stack">
        <div className="names">
          {reach.names.slice(0, MAX_NAMES).map((name) => (
            <Link key={name} to={`/applications/${name}`}>
              {name}
            </Link>
          ))}
          {reach.names.length > MAX_NAMES ? <span>{reach.names.length - MAX_NAMES} more</span> : null}
        </div>
        {consequences.length === 0 ? null : (
          <details>
            <summary>
              {consequences.length} {consequences.length === 1 ? 'consequence' : 'consequences'}
            </summary>
            <ul className="chain">
              {consequences.slice(0, 80).map(({ object, says }) => (
                <li key={`${object}${says}`}>
                  <code>{object}</code>
                  <div className="muted">{says}</div>
                </li>
              ))}
            </ul>
          </details>
        )}
        {next.length === 0 ? null : (
          <div>
            <p className="faint small-text">Next problem after this fix</p>
            <ul>
              {next.map(({ cause, says }) => (
                <li key={says}>
                  {cause === '' ? '' : `${cause}: `}
                  {says}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </section>
  );
}
