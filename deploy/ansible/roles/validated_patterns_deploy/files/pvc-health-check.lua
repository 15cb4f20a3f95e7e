-- For Argo CD, which shows a script nothing but the claim: that the class waits for the first consumer is told by what the
-- claim does not carry yet. The volume controller notes the provisioner as soon as it asks for a volume, the scheduler the node
-- as soon as a pod has one.
-- masks-failure is meant: a wave that waited for a claim which waits for a pod of a later wave would wait for ever.
local status = obj.status or {}
local spec = obj.spec or {}
local annotations = (obj.metadata or {}).annotations or {}
local phase = status.phase

local function given(value)
  return value ~= nil and value ~= ""
end

if not given(phase) then
  return { status = "Progressing", message = "Waiting for the PVC to be looked at" }
end
if phase == "Lost" then
  return { status = "Degraded", message = "PVC has lost its volume " .. (spec.volumeName or "") }
end
if phase == "Bound" then
  local failures = { ControllerResizeError = true, NodeResizeError = true, ModifyVolumeError = true }
  for _, condition in ipairs(status.conditions or {}) do
    if failures[condition.type] and condition.status == "True" then
      local reason = condition.type
      if given(condition.message) then
        reason = condition.message
      elseif given(condition.reason) then
        reason = condition.reason
      end
      return { status = "Healthy", message = "PVC is bound, but it cannot be changed as asked: " .. reason }
    end
  end
  return { status = "Healthy", message = "PVC is bound" }
end
if phase ~= "Pending" then
  return { status = "Unknown", message = "PVC status: " .. phase }
end

local node = annotations["volume.kubernetes.io/selected-node"]
local provisioner = annotations["volume.kubernetes.io/storage-provisioner"] or annotations["volume.beta.kubernetes.io/storage-provisioner"]
if given(node) then
  return { status = "Progressing", message = "PVC is pending: a pod on node " .. node .. " waits for its volume" }
end
if given(spec.volumeName) then
  return { status = "Progressing", message = "PVC is pending: it waits for volume " .. spec.volumeName }
end
if given(provisioner) then
  return { status = "Progressing", message = "PVC is pending: " .. provisioner .. " is to provide its volume" }
end
-- An empty class means that only an existing volume will do.
if spec.storageClassName == "" then
  return { status = "Progressing", message = "PVC is pending" }
end
return { status = "Healthy", message = "PVC is pending (likely WaitForFirstConsumer)" }
