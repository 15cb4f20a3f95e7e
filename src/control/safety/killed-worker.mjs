// A worker as Node leaves it where memory or the stack ends in the wrong place: gone, in the middle of a render.
await import('../../../dist/render-worker.js');
process.prependListener('message', ({ request }) => {
  if (request.application.name === 'killer') process.kill(process.pid, 'SIGKILL');
});
