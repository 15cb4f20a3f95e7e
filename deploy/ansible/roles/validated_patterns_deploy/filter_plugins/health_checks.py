"""Lists of health checks, as an ArgoCD resource has them."""


def _name(check):
    return (check.get("group") or "", check.get("kind") or "")


def merge_health_checks(there, ours):
    """Ours in place of those of the same group and kind; all others stay. A merge patch alone would replace the whole list."""
    new = {_name(check): check for check in ours}
    kept = [new.pop(_name(check), check) for check in there]
    return kept + list(new.values())


def health_check_key(check):
    """The key of argocd-cm that holds the check."""
    group, kind = _name(check)
    return "resource.customizations.health." + (kind if group == "" else group + "_" + kind)


class FilterModule:
    def filters(self):
        return {"merge_health_checks": merge_health_checks, "health_check_key": health_check_key}
