// node scripts/terminal-picture.mjs docs/pictures/up.session
// Runs the commands of a session in an empty home directory and draws what they really print, as docs/pictures/up.svg.
// A line is a command; `export NAME=VALUE` holds for those below it; `COMMAND & until TEXT` keeps running in the
// background from the moment it has printed TEXT; `COMMAND & exits CODE` is one that says something by its exit code.
// kubectl must be on the PATH, and the default ports must be free.
// The only things that are changed are the name of the home directory and the password; long lines are wrapped as a
// terminal wraps them.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [session] = process.argv.slice(2);
if (session === undefined || !session.endsWith('.session')) {
  console.error('terminal-picture: name a file that ends in .session, such as docs/pictures/up.session.');
  process.exit(20);
}

const home = mkdtempSync(join(tmpdir(), 'argosy-home-'));
const environment = {
  ...process.env,
  HOME: home,
  npm_config_loglevel: 'error',
  npm_config_update_notifier: 'false',
  NO_COLOR: '1',
};
const background = [];
const COLUMNS = 140;

/** Everything that the command printed; rejects when it fails. */
function run(command, until, exits) {
  // A group of its own, so that what npm starts ends with it.
  const child = spawn('bash', ['-c', `${command} 2>&1`], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (until !== undefined && text.includes(until)) resolve(text);
    });
    if (until !== undefined) background.push(child);
    child.once('close', (code) =>
      code === exits && until === undefined
        ? resolve(text)
        : reject(new Error(`"${command}" ended with ${code}: ${text}`)),
    );
  });
}

async function record() {
  const lines = [];
  for (const line of readFileSync(session, 'utf8')
    .split('\n')
    .filter((text) => text !== '')) {
    const [beside, until] = line.split(' & until ');
    const [command, exits = '0'] = beside.split(' & exits ');
    lines.push({ kind: 'command', text: command });
    const [, name, value] = /^export (\w+)=(.*)$/.exec(command) ?? [];
    if (name !== undefined) environment[name] = value.replace(/^~/, home);
    else
      for (const text of (await run(command, until, Number(exits)))
        .replace(/(?<!\n)\n+$/, '')
        .split('\n')
        .flatMap(wrapped))
        lines.push({ kind: 'output', text });
    if (until === undefined) continue;
    await delay(2_000); // as long as a person takes to open a second terminal
    lines.push(
      { kind: 'output', text: '' },
      { kind: 'break', text: 'in a second terminal' },
      { kind: 'output', text: '' },
    );
  }
  return lines;
}

function wrapped(line) {
  const text = line
    .replaceAll(home, '/home/you')
    .replace(/^( *password +)\S+/, (_, label) => label + '·'.repeat(20))
    .trimEnd();
  return text === '' ? [''] : text.match(new RegExp(`.{1,${COLUMNS}}`, 'g'));
}

const FONT = { size: 13, width: 7.83, line: 19 };
const MARGIN = { side: 22, top: 56, bottom: 20 };
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function draw(lines) {
  const columns = Math.max(...lines.map(({ text }) => text.length + 2));
  const width = Math.ceil(columns * FONT.width + 2 * MARGIN.side);
  const height = MARGIN.top + lines.length * FONT.line + MARGIN.bottom;
  const texts = lines.map(({ kind, text }, index) => {
    const y = MARGIN.top + (index + 0.75) * FONT.line;
    if (kind === 'break')
      return (
        `<line class="rule" x1="${MARGIN.side}" x2="${width - MARGIN.side}" y1="${y - 5}" y2="${y - 5}"/>\n` +
        `<text class="note" x="${width / 2}" y="${y - 1}">${escape(text)}</text>`
      );
    const words =
      kind === 'command'
        ? `<tspan class="prompt">$</tspan> <tspan class="command">${escape(text)}</tspan>`
        : escape(text);
    return `<text x="${MARGIN.side}" y="${y}">${words}</text>`;
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${MARGIN.side + 4 + index * 20}" cy="22" r="6" fill="${colour}"/>`,
  );
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const fonts = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
  const note = 'fill: #8b949e; text-anchor: middle; stroke: #0d1117; stroke-width: 14px; paint-order: stroke;';
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="A terminal session">
<style>
text { font: ${FONT.size}px ${fonts}; fill: #c9d1d9; white-space: pre; }
.prompt { fill: #3fb950; } .command { fill: #ffffff; font-weight: 600; }
.rule { stroke: #30363d; } .note { ${note} }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
${dots.join('\n')}
<g xml:space="preserve">
${texts.filter((text) => !text.endsWith('"></text>')).join('\n')}
</g>
</svg>
`;
}

try {
  writeFileSync(session.replace(/session$/, 'svg'), draw(await record()));
} finally {
  for (const child of background) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.removeAllListeners('close');
    const ended = new Promise((resolve) => child.once('close', resolve));
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
}
