-- Moves a canary one step on, and ends the pause that the current step may be.
local canary = obj.spec.strategy.canary
if obj.status ~= nil and canary ~= nil and canary.steps ~= nil then
  local step = obj.status.currentStepIndex
  if step ~= nil and step < #canary.steps then
    obj.status.pauseConditions = nil
    obj.status.currentStepIndex = step + 1
  end
end
return obj
