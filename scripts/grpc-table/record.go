package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Levels of a recorded message; deeper ones are left empty.
const maxDepth = 5

type recorded struct {
	Type  string          `json:"type"`
	Proto []byte          `json:"proto"`
	JSON  json.RawMessage `json:"json"`
}

// filler gives every field a value that occurs once.
type filler struct{ count int64 }

// record is a message of a type as Go encodes it, in both ways.
func record(t reflect.Type) recorded {
	value := reflect.New(t)
	(&filler{}).fill(value.Elem(), 0)
	encode, ok := value.Interface().(interface{ Marshal() ([]byte, error) })
	out := recorded{Type: name(t), Proto: []byte{}}
	var err error
	if ok {
		if out.Proto, err = encode.Marshal(); err != nil {
			panic(fmt.Sprintf("%s: %v", out.Type, err))
		}
	}
	if out.JSON, err = json.Marshal(value.Interface()); err != nil {
		panic(fmt.Sprintf("%s: %v", out.Type, err))
	}
	return out
}

var own = map[reflect.Type]func(int64) any{
	reflect.TypeFor[metav1.Time]():      func(n int64) any { return metav1.NewTime(time.Unix(1700000000+n, 0).UTC()) },
	reflect.TypeFor[metav1.MicroTime](): func(n int64) any { return metav1.NewMicroTime(time.Unix(1700000000+n, 1000).UTC()) },
	reflect.TypeFor[intstr.IntOrString](): func(n int64) any {
		if n%2 == 0 {
			return intstr.FromInt32(int32(n))
		}
		return intstr.FromString(fmt.Sprint(n, "%"))
	},
	reflect.TypeFor[runtime.RawExtension](): func(n int64) any {
		return runtime.RawExtension{Raw: []byte(fmt.Sprintf(`{"n":%d}`, n))}
	},
	reflect.TypeFor[apiextensions.JSON]():        func(n int64) any { return apiextensions.JSON{Raw: []byte(fmt.Sprintf(`[%d]`, n))} },
	reflect.TypeFor[metav1.FieldsV1]():           func(int64) any { return metav1.FieldsV1{Raw: []byte(`{"f:a":{}}`)} },
	reflect.TypeFor[v1alpha1.ResourceOverride](): func(int64) any { return v1alpha1.ResourceOverride{HealthLua: "return {}", UseOpenLibs: true} },
	reflect.TypeFor[v1alpha1.SyncStrategyHook](): func(int64) any { return v1alpha1.SyncStrategyHook{} },
	reflect.TypeFor[v1alpha1.KustomizePatch]():   func(int64) any { return v1alpha1.KustomizePatch{Path: "a"} },
}

func (f *filler) fill(value reflect.Value, depth int) {
	t := value.Type()
	if make, ok := own[t]; ok {
		f.count++
		value.Set(reflect.ValueOf(make(f.count)))
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if depth >= maxDepth && t.Elem().Kind() == reflect.Struct {
			return
		}
		value.Set(reflect.New(t.Elem()))
		f.fill(value.Elem(), depth)
	case reflect.Struct:
		if depth >= maxDepth {
			return
		}
		for i := range t.NumField() {
			if t.Field(i).IsExported() && t.Field(i).Tag.Get("protobuf") != "" && t.Field(i).Tag.Get("protobuf") != "-" && t.Field(i).Tag.Get("json") != "-" {
				f.fill(value.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if t == bytesType {
			value.Set(reflect.ValueOf([]byte{1, 2, 255}))
			return
		}
		if depth >= maxDepth {
			return
		}
		value.Set(reflect.MakeSlice(t, 1, 1))
		f.fill(value.Index(0), depth)
	case reflect.Map:
		if depth >= maxDepth {
			return
		}
		value.Set(reflect.MakeMap(t))
		element := reflect.New(t.Elem()).Elem()
		f.fill(element, depth)
		value.SetMapIndex(reflect.ValueOf("key").Convert(t.Key()), element)
	case reflect.String:
		f.count++
		value.SetString(fmt.Sprintf("text %d ü", f.count))
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		f.count++
		sign := int64(1)
		if f.count%3 == 0 {
			sign = -1
		}
		value.SetInt(sign * f.count * 1000)
	case reflect.Uint32, reflect.Uint64:
		f.count++
		value.SetUint(uint64(f.count))
	case reflect.Float32, reflect.Float64:
		value.SetFloat(1.5)
	}
}
