if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, c in ipairs(obj.status.conditions) do
    if c.type == "Ready" and c.status == true then
      return { status = "Healthy" }
    end
  end
end
return { status = "Progressing" }
