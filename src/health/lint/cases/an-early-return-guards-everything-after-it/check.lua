if not obj.status or not obj.status.conditions or #obj.status.conditions == 0 then
  return { status = "Progressing", message = "Waiting for conditions" }
end
local first = obj.status.conditions[1]
return { status = first.status == "True" and "Healthy" or "Progressing", message = "First: " .. first.type }
