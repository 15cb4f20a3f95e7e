function find(object, wanted)
  if object.status ~= nil and object.status.conditions ~= nil then
    for _, condition in ipairs(object.status.conditions) do
      if condition.type == wanted then
        return condition
      end
    end
  end
  return nil
end

local ready = find(obj, "Ready")
if ready.status == "True" then
  return { status = "Healthy" }
end
return { status = "Progressing" }
