export interface Example {
  readonly title: string;
  readonly object: string;
  readonly script: string;
}

/** Something to begin with; the second has mistakes on purpose, to show what lint says. */
export const EXAMPLES: readonly Example[] = [
  {
    title: 'A database that becomes ready',
    object: `apiVersion: example.com/v1
kind: Database
metadata:
  name: orders
  generation: 3
spec:
  size: small
status:
  observedGeneration: 3
  phase: Provisioning
  message: the volume is being attached
`,
    script: `local hs = { status = "Progressing", message = "waiting for the database" }
if obj.status == nil then
  return hs
end
if obj.status.observedGeneration ~= nil and obj.status.observedGeneration < obj.metadata.generation then
  return hs
end
if obj.status.phase == "Ready" then
  hs.status = "Healthy"
  hs.message = "ready"
elseif obj.status.phase == "Failed" then
  hs.status = "Degraded"
  hs.message = obj.status.message or "failed"
else
  hs.message = obj.status.message or hs.message
end
return hs
`,
  },
  {
    title: 'A script with mistakes',
    object: `apiVersion: example.com/v1
kind: Queue
metadata:
  name: jobs
spec: {}
status: {}
`,
    script: `if obj.status.conditions[1].type == "Ready" then
  return { status = "healthy", message = "ready" }
end
`,
  },
  {
    title: 'A Deployment, assessed by the catalogue',
    object: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  generation: 2
spec:
  replicas: 3
status:
  observedGeneration: 2
  replicas: 3
  updatedReplicas: 3
  availableReplicas: 1
  readyReplicas: 1
`,
    script: '',
  },
];
