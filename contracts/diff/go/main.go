// Answers jq expressions with gojq, the engine that Argo CD uses: one JSON request a line, one JSON answer a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/itchyny/gojq"
)

type request struct {
	Program string `json:"program"`
	Input   any    `json:"input"`
}

type answer struct {
	// compile, run or empty.
	Failure string            `json:"failure"`
	Message string            `json:"message"`
	Values  []json.RawMessage `json:"values"`
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(evaluate(asked)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func evaluate(asked request) answer {
	result := answer{Values: []json.RawMessage{}}
	query, err := gojq.Parse(asked.Program)
	if err != nil {
		return answer{Failure: "compile", Message: err.Error(), Values: []json.RawMessage{}}
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return answer{Failure: "compile", Message: err.Error(), Values: []json.RawMessage{}}
	}
	limit, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for values := code.RunWithContext(limit, asked.Input); ; {
		value, more := values.Next()
		if !more {
			return result
		}
		if err, failed := value.(error); failed {
			result.Failure, result.Message = "run", err.Error()
			return result
		}
		// gojq writes what encoding/json refuses, such as not-a-number.
		text, err := gojq.Marshal(value)
		if err != nil {
			return answer{Failure: "run", Message: err.Error(), Values: []json.RawMessage{}}
		}
		result.Values = append(result.Values, text)
	}
}
