local found = false
local text
if obj.status ~= nil then
  for _, condition in ipairs(obj.status.conditions or {}) do
    if condition.type == "Failed" and condition.message ~= nil then
      found = true
      text = condition.message
    end
  end
end
if found then
  return { status = "Degraded", message = "Failed: " .. text }
end
return { status = "Healthy" }
