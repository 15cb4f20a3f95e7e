-- For Argo CD. The sentences of the operator's guide; what the cells tell is added where there are results.
local status = obj.status or {}
local phase = status.phase
local results = status.results

local seen = status.observedGeneration
local wanted = (obj.metadata or {}).generation
if seen ~= nil and wanted ~= nil and seen < wanted then
  return { status = "Progressing", message = "Waiting for the controller: it has seen generation " .. seen .. ", the object is at " .. wanted }
end

-- A value that no run was made for asks for another one.
local wished = ((obj.metadata or {}).annotations or {})["mlops.dev/rerun"] or ""
if status.runId ~= nil and wished ~= (status.rerun or "") then
  return { status = "Progressing", message = "Waiting for the run that mlops.dev/rerun asks for" }
end

-- Nothing was executed where the pod was only simulated.
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "ValidationComplete" and condition.reason == "Simulated" then
    if condition.status == "True" then
      return { status = "Healthy", message = condition.message }
    end
    return { status = "Progressing", message = condition.message }
  end
end

local function given(value)
  return value ~= nil and value ~= ""
end

-- The resource says Success and Failure, the guide success and error.
local GOOD = { Success = true, success = true }
local BAD = { Failure = true, error = true }

local function succeeded()
  local message = "Notebook validation succeeded"
  if given(status.completionTime) then
    message = message .. " at " .. status.completionTime
  end
  if results ~= nil then
    message = message .. " - Executed " .. #results .. " cells"
  end
  return { status = "Healthy", message = message }
end

local function failed()
  local message = status.message or "Notebook validation failed"
  if status.retryCount ~= nil then
    message = message .. " (retry " .. status.retryCount .. "/3)"
  end
  for position, result in ipairs(results or {}) do
    if BAD[result.status] then
      local reason = "Error"
      if given(result.errorType) then
        reason = result.errorType
      elseif given(result.errorMessage) then
        reason = result.errorMessage
      end
      message = message .. " - Failed at cell " .. (result.cellIndex or position - 1) .. ": " .. reason
      break
    end
  end
  return { status = "Degraded", message = message }
end

local function running()
  local message = "Validating notebook"
  if given(status.validationPodName) then
    message = message .. " (pod: " .. status.validationPodName .. ")"
  end
  if results ~= nil then
    local completed = 0
    for _, result in ipairs(results) do
      if GOOD[result.status] then
        completed = completed + 1
      end
    end
    message = message .. " (" .. completed .. " cells completed)"
  end
  return { status = "Progressing", message = message }
end

if phase == "Succeeded" then
  return succeeded()
end
if phase == "Failed" then
  return failed()
end
if phase == "ValidationRunning" then
  return running()
end

local WAITING = {
  Building = "Building validation environment",
  BuildComplete = "Build complete, preparing validation",
  Initializing = "Initializing notebook validation",
  Pending = "Initializing notebook validation",
  Running = "Initializing notebook validation",
}
if phase == nil then
  return { status = "Progressing", message = WAITING.Initializing }
end
return { status = "Progressing", message = WAITING[phase] or "Phase: " .. phase }
