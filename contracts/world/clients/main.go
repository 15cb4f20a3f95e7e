// Command clients asks servers with the libraries that real programs use: Vault's own client, the registry client of crane and kaniko, and
// the OIDC library of Argo CD. One call each run; it prints JSON, or the error as text and exits with 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	vault "github.com/hashicorp/vault/api"
	"golang.org/x/oauth2"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: clients vault|image|tags|oidc URL [WORD...]")
		os.Exit(2)
	}
	run, found := map[string]func(string, []string) (any, error){"vault": askVault, "image": pullImage, "tags": listTags, "oidc": verifyLogin}[os.Args[1]]
	if !found {
		fmt.Fprintln(os.Stderr, "unknown client "+os.Args[1])
		os.Exit(2)
	}
	answer, err := run(os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		panic(err)
	}
}

// vault URL TOKEN status | init | unseal KEY | config K=V... | role NAME K=V... | login ROLE JWT | put PATH K=V... | get PATH | list PATH
func askVault(address string, words []string) (any, error) {
	config := vault.DefaultConfig()
	config.Address = address
	config.MaxRetries = 0
	client, err := vault.NewClient(config)
	if err != nil {
		return nil, err
	}
	client.SetToken(words[0])
	ctx, rest := context.Background(), words[2:]
	switch words[1] {
	case "status":
		return client.Sys().SealStatus()
	case "init":
		return client.Sys().Init(&vault.InitRequest{SecretShares: 1, SecretThreshold: 1})
	case "unseal":
		return client.Sys().Unseal(rest[0])
	case "config":
		return client.Logical().Write("auth/kubernetes/config", pairs(rest))
	case "role":
		return client.Logical().Write("auth/kubernetes/role/"+rest[0], pairs(rest[1:]))
	case "policy":
		return nil, client.Sys().PutPolicy(rest[0], rest[1])
	case "login":
		return client.Logical().Write("auth/kubernetes/login", map[string]any{"role": rest[0], "jwt": rest[1]})
	case "put":
		return client.KVv2("secret").Put(ctx, rest[0], pairs(rest[1:]))
	case "get":
		return client.KVv2("secret").Get(ctx, rest[0])
	case "list":
		return client.Logical().List("secret/metadata/" + rest[0])
	}
	return nil, fmt.Errorf("unknown word %s", words[1])
}

func pairs(words []string) map[string]any {
	values := map[string]any{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		values[key] = value
	}
	return values
}

func options(words []string) []remote.Option {
	once := remote.WithRetryBackoff(remote.Backoff{Duration: time.Millisecond, Factor: 1, Steps: 1})
	if len(words) < 2 {
		return []remote.Option{once}
	}
	return []remote.Option{once, remote.WithAuth(&authn.Basic{Username: words[0], Password: words[1]})}
}

// image URL REFERENCE [USER PASSWORD]
func pullImage(address string, words []string) (any, error) {
	reference, err := name.ParseReference(strings.TrimPrefix(address, "http://")+"/"+words[0], name.Insecure)
	if err != nil {
		return nil, err
	}
	image, err := remote.Image(reference, options(words[1:])...)
	if err != nil {
		return nil, err
	}
	digest, err := image.Digest()
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		content, err := layer.Uncompressed()
		if err != nil {
			return nil, err
		}
		if err := content.Close(); err != nil {
			return nil, err
		}
	}
	return map[string]any{"digest": digest.String(), "architecture": config.Architecture, "layers": len(layers)}, nil
}

// tags URL REPOSITORY [USER PASSWORD]
func listTags(address string, words []string) (any, error) {
	repository, err := name.NewRepository(strings.TrimPrefix(address, "http://")+"/"+words[0], name.Insecure)
	if err != nil {
		return nil, err
	}
	return remote.List(repository, options(words[1:])...)
}

// oidc ISSUER CLIENT SECRET REDIRECT CODE VERIFIER
func verifyLogin(issuer string, words []string) (any, error) {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	// Else it tries a second way after a refusal, and the code is used up by then.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	config := oauth2.Config{ClientID: words[0], ClientSecret: words[1], RedirectURL: words[2], Endpoint: endpoint}
	token, err := config.Exchange(ctx, words[3], oauth2.VerifierOption(words[4]))
	if err != nil {
		return nil, err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: words[0]}).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, err
	}
	var claims struct {
		Groups   []string `json:"groups"`
		Username string   `json:"preferred_username"`
		Nonce    string   `json:"nonce"`
	}
	if err := id.Claims(&claims); err != nil {
		return nil, err
	}
	return map[string]any{"subject": id.Subject, "groups": claims.Groups, "username": claims.Username, "nonce": claims.Nonce, "email": info.Email}, nil
}
