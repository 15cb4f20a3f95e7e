import { useEffect, useState, type ReactNode } from 'react';
import type { HealthEvalFinding, HealthEvalRequest, HealthEvalResponse } from '../../src/model/api/index.js';
import { post, errorMessage } from '../http/client';
import { Badge, Shape } from '../parts/badge';
import { Editor } from '../parts/editor';
import { EXAMPLES } from './examples';

const DEBOUNCE = 250;

/** An object on the left, a check on the right, what it says below: with every key. */
export function HealthLabPage(): ReactNode {
  const [first] = EXAMPLES;
  const [object, setObject] = useState(first?.object ?? '');
  const [lua, setLua] = useState(first?.script ?? '');
  const { verdict, problem, isBusy } = useVerdict(object, lua);
  useEffect(() => {
    document.title = 'Health lab · Argosy';
  }, []);
  const findings = verdict?.findings ?? [];
  const choose = (title: string): void => {
    const example = EXAMPLES.find((each) => each.title === title);
    if (example === undefined) return;
    setObject(example.object);
    setLua(example.script);
  };
  return (
    <div className="page">
      <header className="page-head">
        <h1>Health lab</h1>
        <div className="actions">
          <select
            className="select"
            aria-label="Example"
            defaultValue={first?.title}
            onChange={(event) => {
              choose(event.target.value);
            }}
          >
            {EXAMPLES.map(({ title }) => (
              <option key={title}>{title}</option>
            ))}
          </select>
        </div>
      </header>
      <div className="lab">
        <section className="card" aria-label="Object">
          <header className="card-head">
            <h2>Object</h2>
            <span className="faint">live manifest, YAML</span>
          </header>
          <Editor label="Object" value={object} onChange={setObject} />
        </section>
        <section className="card" aria-label="Check">
          <header className="card-head">
            <h2>Check</h2>
            <span className="faint">{lua.trim() === '' ? 'empty: the catalogue is used' : 'Lua, as in argocd-cm'}</span>
          </header>
          <Editor
            label="Check in Lua"
            value={lua}
            onChange={setLua}
            marked={new Set(findings.map(({ line }) => line))}
          />
        </section>
        <section className="card verdict" aria-label="Result" aria-busy={isBusy}>
          <div className="verdict-line" role="status">
            <VerdictLine verdict={verdict} problem={problem} />
          </div>
          {findings.length === 0 ? null : (
            <ul className="lint" tabIndex={0} aria-label="Lint findings">
              {findings.map((finding, index) => (
                <FindingLine key={index} finding={finding} />
              ))}
            </ul>
          )}
        </section>
      </div>
    </div>
  );
}

/** Asks once the typing pauses; an answer to an older question is dropped. */
function useVerdict(
  object: string,
  lua: string,
): { readonly verdict: HealthEvalResponse | undefined; readonly problem: string; readonly isBusy: boolean } {
  const [state, setState] = useState<{
    readonly verdict: HealthEvalResponse | undefined;
    readonly problem: string;
    readonly isBusy: boolean;
  }>({ verdict: undefined, problem: '', isBusy: true });
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      setState((before) => ({ ...before, isBusy: true }));
      const trial: HealthEvalRequest = { object, lua };
      post<HealthEvalResponse>('/api/v1/health/eval', trial, abort.signal).then(
        (verdict) => {
          setState({ verdict, problem: '', isBusy: false });
        },
        (error: unknown) => {
          if (!abort.signal.aborted) setState({ verdict: undefined, problem: errorMessage(error), isBusy: false });
        },
      );
    }, DEBOUNCE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [object, lua]);
  return state;
}

function VerdictLine({
  verdict,
  problem,
}: {
  readonly verdict: HealthEvalResponse | undefined;
  readonly problem: string;
}): ReactNode {
  const wrong = problem === '' ? (verdict?.error ?? '') : problem;
  if (wrong !== '')
    return (
      <>
        <Shape state="Failed" label="No result" />
        <span>{wrong}</span>
      </>
    );
  if (verdict === undefined) return <span className="faint">Assessing…</span>;
  if (verdict.status === '')
    return (
      <span className="muted">
        {verdict.message === '' ? 'No health check for this kind, so it never blocks a wave.' : verdict.message}
      </span>
    );
  return (
    <>
      <Badge state={verdict.status} />
      <span>{verdict.message}</span>
      {verdict.by === '' ? null : <span className="faint">by {verdict.by}</span>}
    </>
  );
}

function FindingLine({
  finding: { rule, severity, message, hint, line },
}: {
  readonly finding: HealthEvalFinding;
}): ReactNode {
  return (
    <li>
      <Shape state={severity === 'error' ? 'Failed' : 'Warning'} label={severity} />
      <span className="faint">{line === 0 ? '' : `line ${line}`}</span>
      <div>
        {message}
        {hint === '' ? null : <div className="muted">{hint}</div>}
        <div className="faint mono">{rule}</div>
      </div>
    </li>
  );
}
