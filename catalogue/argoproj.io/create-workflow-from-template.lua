-- Makes a Workflow that runs what the template holds.
local os = require("os")

return {
  {
    operation = "create",
    resource = {
      apiVersion = "argoproj.io/v1alpha1",
      kind = "Workflow",
      metadata = {
        name = obj.metadata.name .. "-" .. os.date("!%Y%m%d%H%M"),
        namespace = obj.metadata.namespace,
        labels = { ["workflows.argoproj.io/workflow-template"] = obj.metadata.name },
        ownerReferences = {
          { apiVersion = obj.apiVersion, kind = obj.kind, name = obj.metadata.name, uid = obj.metadata.uid },
        },
      },
      spec = { workflowTemplateRef = { name = obj.metadata.name } },
    },
  },
}
