local hs = { status = "Progressing" }
local status = obj.status
if status ~= nil then
  if status.phase == "Succeded" then
    hs.status = "Healthy"
  elseif status.phase == "Failed" or status.ready == "false" then
    hs.status = "Degraded"
    for _, step in ipairs(status.steps or {}) do
      if step.result == "error" then
        hs.message = step.errorType
      end
    end
  end
  for name, part in pairs(status.parts or {}) do
    if part.state == "down" then hs.message = name end
  end
  if status.free.anything == 1 then hs.message = "free" end
end
return hs
