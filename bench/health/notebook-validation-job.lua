-- A check of our own for the benchmark: phases, a pod name, a time, retries and counted cells.
local hs = { status = "Progressing", message = "waiting for the first status" }
if obj.status == nil then return hs end
local status = obj.status
if status.observedGeneration ~= nil and obj.metadata.generation ~= nil and status.observedGeneration < obj.metadata.generation then
  hs.message = "the change is not seen yet"
  return hs
end
local done, failed = 0, nil
for index, cell in ipairs(status.results or {}) do
  if cell.status == "Success" then
    done = done + 1
  elseif failed == nil and cell.status == "Failure" then
    failed = "cell " .. (cell.cellIndex or index) .. ": " .. (cell.errorMessage or "no message")
  end
end
local texts = {
  Initializing = "Starting", Building = "Building the image", BuildComplete = "Image is ready",
  ValidationRunning = "Running the notebook", Running = "Running the notebook", Pending = "Waiting",
}
if status.phase == "Succeeded" then
  hs.status = "Healthy"
  hs.message = "Executed " .. done .. " cells"
  if status.completionTime then hs.message = hs.message .. " at " .. status.completionTime end
elseif status.phase == "Failed" then
  hs.status = "Degraded"
  hs.message = failed or status.message or "Failed"
  if status.retryCount and status.retryCount > 0 then hs.message = hs.message .. " (retry " .. status.retryCount .. "/3)" end
else
  hs.message = texts[status.phase] or ("Phase " .. tostring(status.phase))
  if status.validationPodName then hs.message = hs.message .. " (pod: " .. status.validationPodName .. ")" end
end
return hs
