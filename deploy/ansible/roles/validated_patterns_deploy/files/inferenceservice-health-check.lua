-- For Argo CD. Only Ready decides; a model that is not there yet is waited for. To read the words of a failed load the script
-- needs the string library: set resource.customizations.useOpenLibs.serving.kserve.io_InferenceService to true. Without it a
-- failed load with words is a failure. Argo CD shows a script nothing but the service: that its Deployment rolls out for the first
-- time is told by the Deployment alone, so a service that has just been made is Degraded here until its first pods are ready.
local status = obj.status or {}
local words = rawget(_G, "string")

-- Lua patterns over the message in lower case; each means that storage has no such model.
local ABSENT = {
  "no model found", "cannot locate source", "fail to locate model", "failed to locate model", "no such file or directory",
  "local path .* does not exist", "nosuchkey", "nosuchbucket", "nosuchmodel", "bucket .*does not exist", "key does not exist",
  "blob does not exist", "model .*does not exist", "resource .*not found", "model .*not found", "path .*not found",
  "could not find base path", "no objects found", "[^%w_]404[^%w_]",
}

local function isAbsent(message)
  if words == nil then
    return false
  end
  for line in words.gmatch(words.lower(message), "[^\n]+") do
    for _, pattern in ipairs(ABSENT) do
      if words.find(" " .. line .. " ", pattern) then
        return true
      end
    end
  end
  return false
end

local function waitsForModel()
  local model = status.modelStatus or {}
  local failure = model.lastFailureInfo or {}
  if model.transitionStatus ~= "BlockedByFailedLoad" or failure.reason ~= "ModelLoadFailed" then
    return false
  end
  if failure.message == nil or failure.message == "" then
    return failure.exitCode == nil or failure.exitCode == 0
  end
  return isAbsent(failure.message)
end

local ready
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" then
    ready = condition
    break
  end
end

if ready ~= nil and ready.status == "True" then
  return { status = "Healthy", message = "InferenceService is ready" }
end
if waitsForModel() then
  return { status = "Progressing", message = "waiting for its model" }
end
if ready == nil then
  return { status = "Progressing", message = "Waiting for InferenceService" }
end
if ready.status == "False" then
  return { status = "Degraded", message = ready.message or "InferenceService is not ready" }
end
return { status = "Progressing", message = ready.message or "InferenceService is progressing" }
