/** A pattern that may take more than linear time, and why that does not matter. */
export interface AllowedRegex {
  readonly file: string;
  /** A part of the pattern as it stands in the file. */
  readonly part: string;
  readonly reason: string;
}

/** Only where another limit keeps the text short, or where the engine never comes to the second way. */
export const SLOW: readonly AllowedRegex[] = [
  {
    file: 'src/apiserver/crd/rule-field-path.ts',
    part: "'(?:\\\\.|[^'\\\\])*'|",
    reason:
      'where a quote is not closed the last alternative reads on to the next dot or bracket, so no second ' +
      'search starts inside',
  },
  {
    file: 'src/render/findings/unset-shell-variables.ts',
    part: '(while|until)',
    reason: 'scripts longer than 16 KiB are not looked at',
  },
  ...[
    "transport '",
    'Host key',
    'Load key',
    'repository .* not exported',
    'expected .* received',
    'object file .* is empty',
    'loose object .* is corrupt',
    'index file .* is too small',
  ].map((part) => ({ file: 'src/source/git/git-fault.ts', part, reason: 'lines are cut to 1,000 characters before' })),
  ...(
    [
      ['graph/edges/host-names.ts', ['[a-z0-9+.-]*):']],
      ['read/described-entries.ts', ['^([^:]+?):']],
      ['read/described-object.ts', ['(Normal|Warning)', '(\\d+)\\/(\\w+)']],
      ['read/described-pods.ts', ['(\\d+)\\/(\\w+)']],
      [
        'rules/argo/comparison-errors.ts',
        ['no such file or directory', 'cluster .* (?:is not configured', '[Nn]amespace .* is missing'],
      ],
      [
        'rules/argo/sync-rejections.ts',
        [
          'Required value',
          'spec\\.selector.*',
          'is forbidden: .* immutable',
          'Invalid|Forbidden',
          '(?:<nil>: )?',
          'typed patch object',
        ],
      ],
      ['rules/complaints.ts', ['healthy upstreams?)']],
      ['rules/models/notebooks.ts', ['ImportError: .*?']],
      ['rules/network/config-routes.ts', ['(id|uri|predicates)']],
      ['rules/pods/file-errors.ts', ['EACCES.*listen', ': permission denied/i', 'permission denied.*']],
      ['rules/pods/images.ts', ['repository .* ']],
      ['rules/pods/log-faults.ts', ['[Ff]orbidden.*', 'env var|setting']],
      ['rules/pods/log-rules.ts', ['[Ff]orbidden.*']],
      ['rules/pods/log-text.ts', ['created by ']],
      ['rules/pods/server-states.ts', ['cannot execute', 'SQL\\w*Exception']],
      ['rules/pods/taints.ts', ['untolerated taint']],
      ['rules/secrets/external-secrets.ts', ['key .* does not exist', 'property .* does not exist']],
      ['rules/workloads/admission.ts', ['maximum|minimum']],
      ['rules/workloads/stopped.ts', ['Scaled down .*']],
    ] as const
  ).flatMap(([file, parts]) =>
    parts.map((part) => ({
      file: `src/triage/${file}`,
      part,
      reason: 'texts are cut to 4,000 characters before (textAt), lines of logs to 2,000',
    })),
  ),
];

/** A pattern that only the running program knows. What strangers write is matched by re2js. */
export interface MadeRegex extends AllowedRegex {
  /** Stands for names that nothing in the file tells, so that the pattern can be judged. */
  readonly samples?: Readonly<Record<string, string>>;
}

export const MADE: readonly MadeRegex[] = [
  {
    file: 'src/cli/output/terminal.ts',
    part: 'COLOUR_OF.keys()',
    reason:
      'the words are constants of the file; what stands before them is of fixed length or a run of spaces ' +
      'that a word ends',
  },
  {
    file: 'src/cluster/client/redact-secret-values.ts',
    part: "SAFE_TEXTS.join('|')",
    reason: 'the texts are constants of the file; the only repetition is of at most 300 characters',
  },
  {
    file: 'src/render/findings/unset-shell-variables.ts',
    part: '${name}',
    reason: 'a name of a shell variable has letters, digits and underscores only',
    samples: { name: 'NAME' },
  },
  {
    file: 'src/render/helm/functions/time/parse.ts',
    part: 'element.slice(1)',
    reason: 'an element is one of the fixed forms of a zone, such as -07:00; the pattern has no repetition',
  },
  {
    file: 'src/source/git/git-fault.ts',
    part: "map(({ source }) => source).join('|')",
    reason: 'every part is a literal of the file and is checked where it is written',
  },
  {
    file: 'src/source/signature/signed-object.ts',
    part: '`^${beginning}`',
    reason: 'the beginnings are constants of the file',
    samples: { beginning: '-----BEGIN PGP SIGNATURE-----' },
  },
  {
    file: 'src/triage/rules/any-of.ts',
    part: "map(({ source }) => source).join('|')",
    reason: 'every part is a literal of a rule and is checked where it is written',
  },
  {
    file: 'src/triage/rules/pods/log-text.ts',
    part: 'String.fromCharCode(27)',
    reason: 'the only repetition begins after an escape character, which it cannot read',
  },
  {
    file: 'world/faults/make-renamer.ts',
    part: "WORDS.join('|')",
    reason: 'the words are names of components in our own fleet; the pattern has no repetition',
  },
  {
    file: 'world/fleet/await-symptoms.ts',
    part: "pattern.replaceAll('.'",
    reason: 'the patterns stand in our own stories and name objects, whose names are short',
  },
];
