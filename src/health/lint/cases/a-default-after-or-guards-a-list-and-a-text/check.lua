local hs = { status = "Progressing", message = "" }
local status = obj.status or {}
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" and condition.status == "True" then
    hs.status = "Healthy"
  end
  hs.message = hs.message .. (condition.message or "") .. " "
end
return hs
