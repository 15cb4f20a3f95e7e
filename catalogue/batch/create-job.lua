-- Makes the Job that the schedule would make now, as `kubectl create job --from=cronjob/NAME` does.
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

local template = obj.spec.jobTemplate
local metadata = copy(template.metadata) or {}
metadata.name = obj.metadata.name .. "-" .. os.date("!%y%m%d%H%M")
metadata.namespace = obj.metadata.namespace
metadata.annotations = metadata.annotations or {}
metadata.annotations["cronjob.kubernetes.io/instantiate"] = "manual"
metadata.ownerReferences = {
  {
    apiVersion = obj.apiVersion,
    kind = obj.kind,
    name = obj.metadata.name,
    uid = obj.metadata.uid,
    controller = true,
    blockOwnerDeletion = true,
  },
}

return {
  {
    operation = "create",
    resource = { apiVersion = "batch/v1", kind = "Job", metadata = metadata, spec = copy(template.spec) },
  },
}
