// Prints a line {"group","version","kind","bytes","object"} for each built-in kind of the schema table (lists aside):
// once with every field filled, once empty. Bytes are what the real serializer sends, object is the JSON of what the
// real types read back from them. Run from scripts/schema-table:
//
//	go run ./protobuf-oracle > ../../src/apiserver/http/protobuf-cases.jsonl
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

const table = "../../src/apiserver/schema/data/types.json"

type line struct {
	Group   string          `json:"group"`
	Version string          `json:"version"`
	Kind    string          `json:"kind"`
	Bytes   []byte          `json:"bytes"`
	Object  json.RawMessage `json:"object"`
}

func main() {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme} {
		must(add(known))
	}
	metav1.AddToGroupVersion(known, schema.GroupVersion{Version: "v1"})
	out := json.NewEncoder(os.Stdout)
	for _, kind := range kinds() {
		if !known.Recognizes(kind) || strings.HasSuffix(kind.Kind, "List") || kind.Kind == "WatchEvent" {
			continue
		}
		for _, filled := range []bool{true, false} {
			must(out.Encode(record(known, kind, filled)))
		}
	}
}

// kinds reads the kinds of the table; those that every group has are asked for in the core group.
func kinds() []schema.GroupVersionKind {
	text, err := os.ReadFile(table)
	must(err)
	var types struct {
		Kinds map[string]int `json:"kinds"`
	}
	must(json.Unmarshal(text, &types))
	list := []schema.GroupVersionKind{}
	for name := range types.Kinds {
		parts := strings.Split(strings.Replace(name, "meta/", "/v1/", 1), "/")
		list = append(list, schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: parts[2]})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].String() < list[j].String() })
	return list
}

func record(known *runtime.Scheme, kind schema.GroupVersionKind, filled bool) line {
	object, err := known.New(kind)
	must(err)
	if filled {
		(&filler{short: kind.Kind != "Pod"}).fill(reflect.ValueOf(object).Elem(), 0)
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	serializer := protobuf.NewSerializer(known, known)
	var sent bytes.Buffer
	must(serializer.Encode(object, &sent))
	back, _, err := serializer.Decode(sent.Bytes(), nil, nil)
	must(err)
	back.GetObjectKind().SetGroupVersionKind(kind)
	text, err := json.Marshal(back)
	must(err)
	return line{kind.Group, kind.Version, kind.Kind, sent.Bytes(), text}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
