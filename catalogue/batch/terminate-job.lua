-- Tells the job controller that the job has failed; it then ends the pods and says so in the status.
local os = require("os")

if obj.status == nil then
  return obj
end
local over = { Complete = true, Failed = true, FailureTarget = true, SuccessCriteriaMet = true }
local conditions = obj.status.conditions or {}
for _, condition in ipairs(conditions) do
  if over[condition.type] and condition.status == "True" then
    return obj
  end
end
table.insert(conditions, {
  type = "FailureTarget",
  status = "True",
  reason = "ManuallyTerminated",
  message = "Job was terminated explicitly by a user's action",
  lastTransitionTime = os.date("!%Y-%m-%dT%H:%M:%SZ"),
})
obj.status.conditions = conditions
return obj
