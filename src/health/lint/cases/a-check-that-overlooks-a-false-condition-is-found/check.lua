local hs = { status = "Progressing" }
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == "Ready" then
      hs.status = "Healthy"
    end
  end
end
return hs
