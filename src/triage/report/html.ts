import { causeGraph } from './cause-graph.js';
import { sparkline } from './sparkline.js';
import { formatCount, formatOutcome, nextLine } from './format-count.js';
import { htmlText } from './html-text.js';
import type { Report, ReportedCause } from './report.js';
import { isFresh } from './format-history.js';

const STYLE = `body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;
color:#1c2430;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid #d5dbe3}
h3{font-size:1rem;margin-bottom:.3rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
td,th{border:1px solid #d5dbe3;padding:.25rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
code,pre{font:13px ui-monospace,monospace;background:#f3f5f8;padding:.1rem .3rem;overflow-wrap:anywhere}
pre{padding:.6rem;overflow-x:auto}
.P0{color:#a40e26}.P1{color:#9a4b00}.P2{color:#6b5900}.P3{color:#445}.gone{text-decoration:line-through;color:#567}
.graph{overflow-x:auto;border:1px solid #d5dbe3}svg text{font:12px system-ui,sans-serif}
svg.line{display:block;margin-top:.2rem}
svg.line polyline{fill:none;stroke:#2f6fb0;stroke-width:1.5}
rect.step{fill:#eef2f7;stroke:#8fa1b8}rect.cause{fill:#fdeaea;stroke:#a40e26}path.arrow{fill:none;stroke:#6b7c93}
@media (prefers-color-scheme:dark){body{background:#12161c;color:#dde4ee}code,pre{background:#1d242e}
td,th,h2,.graph{border-color:#39434f}svg.line{display:block;margin-top:.2rem}
svg.line polyline{fill:none;stroke:#2f6fb0;stroke-width:1.5}
rect.step{fill:#1d242e}rect.cause{fill:#3a1a1e}svg text{fill:#dde4ee}
.P0{color:#ff8f9b}.P1{color:#ffb877}.P2{color:#e5d06a}.P3{color:#aab}}`;

const TITLES = {
  P0: 'P0 – Blocking issues (root cause chain)',
  P1: 'P1 – Workloads without capacity',
  P2: 'P2 – Drift and configuration',
  P3: 'P3 – In progress and notes',
} as const;

/** The report as one self-contained page: no script runs and nothing is loaded, whatever names and messages contain. */
export function toHtml(report: Report): string {
  const { summary } = report;
  const graph = causeGraph(report);
  const words = (map: Readonly<Record<string, number>>): string =>
    Object.entries(map)
      .map(([word, count]) => `${count} ${htmlText(word)}`)
      .join(', ');
  const facts: readonly (readonly [string, string])[] = [
    ['Status', report.status],
    ['Snapshot', `${htmlText(report.time)}${report.isPartial === true ? ' (some objects could not be read)' : ''}`],
    [
      'Applications',
      summary.applications === 0 ? '0' : `${summary.applications} (${words(summary.health)}; ${words(summary.sync)})`,
    ],
    ['Unhealthy or out of sync', formatCount(summary.broken, summary.counted)],
    ['Evaluated', `${summary.objects} objects, ${summary.events} events`],
  ];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; " +
      "base-uri 'none'; form-action 'none'\">",
    `<title>Triage report</title><style>${STYLE}</style></head><body>`,
    '<h1>Triage report</h1>',
    `<table>${facts.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join('')}</table>`,
    ...(graph === '' ? [] : ['<h2>Cause graph</h2>', `<div class="graph">${graph}</div>`]),
    ...(['P0', 'P1', 'P2', 'P3'] as const).flatMap((level) => section(report, level)),
    ...priority(report),
    ...list('Not read', report.problems),
    '</body></html>',
    '',
  ].join('\n');
}

function section(report: Report, level: keyof typeof TITLES): string[] {
  const own = report.causes.filter(({ severity }) => severity === level);
  const gone = (report.history?.resolved ?? []).filter(({ severity }) => severity === level);
  if (own.length + gone.length === 0) return [];
  const struck = gone.map(
    (each) =>
      `<h3><span class="gone">${htmlText(`${each.name} ${each.title}`)}</span> RESOLVED ` +
      `${htmlText(each.resolved.slice(0, 10))}</h3><p>${htmlText(each.changed.join('; '), 600)}</p>`,
  );
  const blocks =
    level === 'P3'
      ? [`<ul>${own.map((cause) => `<li>[${htmlText(cause.rule)}] ${htmlText(cause.title)}</li>`).join('')}</ul>`]
      : own.map((cause) => block(cause, report));
  return [`<h2 class="${level}">${TITLES[level]}</h2>`, ...blocks, ...struck];
}

function chainItem({ object, says, via }: ReportedCause['chain'][number]): string {
  const field = via === '' ? '' : ` <code>${htmlText(via)}</code>`;
  return `<li>${htmlText(object)}: ${htmlText(says)}${field}</li>`;
}

function block(cause: ReportedCause, report: Report): string {
  const { reach, fix } = cause;
  const rows = cause.evidence
    .map(
      ({ of, path, value, samples }) =>
        `<tr><td>${htmlText(of)}</td><td><code>${htmlText(path)}</code></td><td>${htmlText(value)}` +
        `${samples === undefined ? '' : sparkline(samples)}</td></tr>`,
    )
    .join('');
  const chain = cause.chain.length < 2 ? '' : `<ol>${cause.chain.map(chainItem).join('')}</ol>`;
  const freshMark = isFresh(report, cause) ? ' (new)' : '';
  const lead = cause.confidence === 'sure' ? '' : `, ${cause.confidence}`;
  const environments = reach.environments.length === 0 ? '' : ` in ${htmlText(reach.environments.join(', '))}`;
  const commands =
    fix === undefined || fix.commands.length === 0
      ? ''
      : `<pre>${fix.commands.map((command) => htmlText(command, 500)).join('\n')}</pre>`;
  return [
    `<h3 id="${htmlText(cause.name)}">${htmlText(`${cause.name} ${cause.title}`)}${freshMark}</h3>`,
    `<p>Rule ${htmlText(cause.rule)}${lead}. ` +
      `Impact: ${formatOutcome(cause, report.summary.counted, environments)}.</p>`,
    chain,
    rows === '' ? '' : `<table><tr><th>Object</th><th>Field</th><th>Value</th></tr>${rows}</table>`,
    fix === undefined
      ? ''
      : `<p><b>Fix</b> (${htmlText(fix.where)}, risk: ${htmlText(fix.risk)}): ${htmlText(fix.say, 500)}</p>${commands}`,
    ...cause.next.map((each) => `<p><b>Then</b> ${htmlText(nextLine(each))}</p>`),
    cause.consequences.length === 0
      ? ''
      : `<details><summary>${cause.consequences.length} consequences</summary><ul>${cause.consequences
          .slice(0, 100)
          .map(({ object, says }) => `<li>${htmlText(object)}: ${htmlText(says)}</li>`)
          .join('')}</ul></details>`,
  ].join('\n');
}

function priority({ causes }: Report): string[] {
  const open = causes.filter(({ severity }) => severity !== 'P3');
  return open.length === 0 ? [] : ['<h2>Resolution priority</h2>', `<ol>${open.map(priorityItem).join('')}</ol>`];
}

function priorityItem({ name, title, fix }: ReportedCause): string {
  return `<li><a href="#${htmlText(name)}">${htmlText(name)}</a> ${htmlText(fix?.say ?? title, 500)}</li>`;
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : [`<h2>${title}</h2>`, `<ul>${lines.map((line) => `<li>${htmlText(line, 500)}</li>`).join('')}</ul>`];
}
