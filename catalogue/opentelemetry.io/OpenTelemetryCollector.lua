local function verdict(status, message)
  return { status = status, message = message }
end

local spec = obj.spec or {}
local status = obj.status
if status == nil then
  return verdict("Progressing", "Waiting for the operator to report on the collector")
end

local replicas = status.scale and status.scale.statusReplicas
if replicas == nil and spec.mode == "sidecar" then
  return verdict("Healthy", "The collector runs inside the pods that ask for it")
end

local ready, present = string.match(tostring(replicas or ""), "^(%d+)/(%d+)$")
if ready == nil then
  return verdict("Progressing", "Waiting for the operator to count the replicas")
end

ready, present = tonumber(ready), tonumber(present)
local count = ready .. " of " .. present .. " replicas are ready"
if present == 0 and spec.mode == "daemonset" then
  return verdict("Healthy", "No node is eligible for the collector")
elseif present == 0 and spec.replicas == 0 then
  return verdict("Healthy", "No replica is asked for, and none runs")
elseif ready == 0 then
  return verdict("Degraded", count)
elseif ready < present then
  return verdict("Progressing", count)
end
return verdict("Healthy", count)
