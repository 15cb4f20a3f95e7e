-- Names a healthy instance as the next primary: the one after the present primary, or the one that was asked for by its
-- name or number.
local os = require("os")

local wanted = actionParams["instance"] or "any"
local healthy = {}
if obj.status ~= nil and obj.status.instancesStatus ~= nil then
  healthy = obj.status.instancesStatus.healthy or healthy
end

local chosen
if wanted == "any" then
  chosen = healthy[1]
  for position, instance in ipairs(healthy) do
    if instance == obj.status.currentPrimary then
      chosen = healthy[position % #healthy + 1]
    end
  end
else
  for _, instance in ipairs(healthy) do
    if instance == wanted or instance == obj.metadata.name .. "-" .. wanted then
      chosen = instance
    end
  end
end

if chosen == nil then
  error("Could not find a healthy instance matching the criteria: " .. wanted, 0)
end
obj.status.targetPrimary = chosen
obj.status.targetPrimaryTimestamp = os.date("!%Y-%m-%dT%H:%M:%SZ")
obj.status.phase = "Switchover in progress"
obj.status.phaseReason = "Switching over to " .. chosen
return obj
