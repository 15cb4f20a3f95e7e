// A worker whose renders of one application never end.
await import('../../../dist/render-worker.js');
const [render] = process.listeners('message');
process.removeAllListeners('message');
process.on('message', (task) => {
  if (task.request.application.name !== 'endless') render(task);
});
