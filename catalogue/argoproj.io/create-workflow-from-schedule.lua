-- Makes the Workflow that the schedule would make now.
local os = require("os")

-- A table that holds nothing could become a list in the result, so it is left out.
local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local result
  for key, inner in pairs(value) do
    local copied = copy(inner)
    if copied ~= nil then
      result = result or {}
      result[key] = copied
    end
  end
  return result
end

local given = obj.spec.workflowMetadata or {}
local instance = "workflows.argoproj.io/controller-instanceid"
local labels = copy(given.labels) or {}
labels["workflows.argoproj.io/cron-workflow"] = obj.metadata.name
if obj.metadata.labels ~= nil then
  labels[instance] = obj.metadata.labels[instance]
end
local annotations = copy(given.annotations) or {}
annotations["workflows.argoproj.io/scheduled-time"] = os.date("!%Y-%m-%dT%H:%M:%SZ")

return {
  {
    operation = "create",
    resource = {
      apiVersion = "argoproj.io/v1alpha1",
      kind = "Workflow",
      metadata = {
        name = obj.metadata.name .. "-" .. os.date("!%Y%m%d%H%M"),
        namespace = obj.metadata.namespace,
        labels = labels,
        annotations = annotations,
        finalizers = copy(given.finalizers),
        ownerReferences = {
          { apiVersion = obj.apiVersion, kind = obj.kind, name = obj.metadata.name, uid = obj.metadata.uid },
        },
      },
      spec = copy(obj.spec.workflowSpec),
    },
  },
}
