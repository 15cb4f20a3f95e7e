// Answers, for each line {"group","version","kind","body"} on stdin, what the real server's decoder makes of the body:
// the error, the strict errors, or the object after a trip through storage. Used to record test cases.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type question struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Body    string `json:"body"`
}

type answer struct {
	Error  string          `json:"error,omitempty"`
	Strict []string        `json:"strict,omitempty"`
	Object json.RawMessage `json:"object,omitempty"`
}

type protobuf interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func main() {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(known); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	metav1.AddToGroupVersion(known, schema.GroupVersion{Version: "v1"})
	decoder := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, known, known, serializer.SerializerOptions{Strict: true})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out, err := json.Marshal(decode(decoder, q))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(string(out))
	}
}

func decode(decoder runtime.Decoder, q question) answer {
	gvk := schema.GroupVersionKind{Group: q.Group, Version: q.Version, Kind: q.Kind}
	object, _, err := decoder.Decode([]byte(q.Body), &gvk, nil)
	var strict []string
	if strictError, ok := runtime.AsStrictDecodingError(err); ok {
		for _, one := range strictError.Errors() {
			strict = append(strict, one.Error())
		}
	} else if err != nil {
		return answer{Error: err.Error()}
	}
	// Definitions and API services are stored as JSON, all other built-in kinds as protobuf.
	if message, ok := object.(protobuf); ok && q.Group != "apiextensions.k8s.io" && q.Group != "apiregistration.k8s.io" {
		stored, err := message.Marshal()
		if err != nil {
			return answer{Error: "protobuf: " + err.Error()}
		}
		kind := object.GetObjectKind().GroupVersionKind()
		fresh, err := scheme.Scheme.New(kind)
		if err != nil {
			return answer{Error: err.Error()}
		}
		if err := fresh.(protobuf).Unmarshal(stored); err != nil {
			return answer{Error: "protobuf: " + err.Error()}
		}
		fresh.GetObjectKind().SetGroupVersionKind(kind)
		object = fresh
	}
	text, err := json.Marshal(object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Strict: strict, Object: text}
}
