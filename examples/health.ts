import { assessHealth, runHealthLua } from '@argosy-dev/argosy/health';

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop', generation: 4 },
  spec: { replicas: 3 },
  status: { observedGeneration: 4, replicas: 3, updatedReplicas: 1, availableReplicas: 2 },
};
const health = assessHealth(deployment);
console.log(`${health?.status}: ${health?.message}`);

// A health.lua as it stands in argocd-cm.
const script = `
  local hs = { status = "Progressing", message = "waiting" }
  if obj.status ~= nil and obj.status.depth > 1000 then
    hs.status = "Degraded"
    hs.message = obj.status.depth .. " messages are waiting"
  end
  return hs`;
console.log(runHealthLua(script, { apiVersion: 'example.com/v1', kind: 'Queue', status: { depth: 5200 } }).message);
