package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

// readCluster asks the API server as the account of the pod; what it refuses is told in its own words.
func (app *application) readCluster(path string) error {
	authority, err := os.ReadFile(account + "ca.crt")
	if err != nil {
		return err
	}
	token, err := os.ReadFile(account + "token")
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
	}
	request, err := http.NewRequest(http.MethodGet, "https://kubernetes.default.svc"+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode < 400 {
		return err
	}
	var status struct{ Message string }
	if json.Unmarshal(text, &status) != nil || status.Message == "" {
		return fmt.Errorf("%s", response.Status)
	}
	return fmt.Errorf("%s", status.Message)
}
