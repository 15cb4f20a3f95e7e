// Answers questions about rights as Argo CD does: one JSON object a line in, one out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	applister "github.com/argoproj/argo-cd/v3/pkg/client/listers/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/server/rbacpolicy"
	"github.com/argoproj/argo-cd/v3/util/assets"
	"github.com/argoproj/argo-cd/v3/util/rbac"
	"github.com/golang-jwt/jwt/v5"
	"github.com/sirupsen/logrus"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"
)

const namespace = "argocd"

type ask struct {
	Claims   map[string]any `json:"claims"`
	Resource string         `json:"resource"`
	Action   string         `json:"action"`
	Object   string         `json:"object"`
}

type question struct {
	Data     map[string]string      `json:"data"`
	Projects []*v1alpha1.AppProject `json:"projects"`
	Asks     []ask                  `json:"asks"`
}

type answer struct {
	Broken  string `json:"broken,omitempty"`
	Allowed []bool `json:"allowed"`
}

func setUp(asked question) (*rbac.Enforcer, error) {
	index := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, project := range asked.Projects {
		project.Namespace = namespace
		if err := index.Add(project); err != nil {
			return nil, err
		}
	}
	enforcer := rbac.NewEnforcer(nil, namespace, "argocd-rbac-cm", nil)
	policies := rbacpolicy.NewRBACPolicyEnforcer(enforcer, applister.NewAppProjectLister(index).AppProjects(namespace))
	enforcer.SetClaimsEnforcerFunc(policies.EnforceClaims)
	if err := enforcer.SetBuiltinPolicy(assets.BuiltinPolicyCSV); err != nil {
		return nil, err
	}
	enforcer.SetDefaultRole(asked.Data["policy.default"])
	enforcer.SetMatchMode(asked.Data["policy.matchMode"])
	if text := asked.Data["scopes"]; text != "" {
		scopes := make([]string, 0)
		if err := yaml.Unmarshal([]byte(text), &scopes); err != nil {
			return nil, fmt.Errorf("scopes: %w", err)
		}
		policies.SetScopes(scopes)
	}
	return enforcer, enforcer.SetUserPolicy(rbac.PolicyCSV(asked.Data))
}

func reply(asked question) (given answer) {
	given.Allowed = make([]bool, 0, len(asked.Asks))
	enforcer, err := setUp(asked)
	if err != nil {
		given.Broken = err.Error()
		return given
	}
	for _, each := range asked.Asks {
		var subject any = ""
		if each.Claims != nil {
			subject = jwt.MapClaims(each.Claims)
		}
		given.Allowed = append(given.Allowed, enforcer.Enforce(subject, each.Resource, each.Action, each.Object))
	}
	return given
}

func main() {
	logrus.SetOutput(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	out := bufio.NewWriter(os.Stdout)
	for lines.Scan() {
		var asked question
		var given answer
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			given.Broken = "question: " + err.Error()
		} else {
			given = reply(asked)
		}
		text, err := json.Marshal(given)
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, string(text))
		if err := out.Flush(); err != nil {
			return
		}
	}
}
