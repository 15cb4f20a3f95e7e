if obj.metadata.annotations["example.com/paused"] == "true" then
  return { status = "Suspended" }
end
return { status = "Progressing", message = obj.metadata.name .. " of kind " .. obj.kind }
