// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
)

// arguments are what this engine understands of the command line of `vllm serve`.
type arguments struct {
	model, servedName string
	host, port        string
}

// parse takes the real engine's command line. Flags that mean nothing here are passed
// over, with their value if one follows: there are some hundred of them.
func parse(args []string) (arguments, error) {
	a := arguments{host: "127.0.0.1", port: "8000"}
	if len(args) == 0 || args[0] != "serve" {
		return a, errors.New("usage: vllm serve MODEL [--port N] [--host H] [--served-model-name NAME] [any other flag]")
	}
	known := map[string]*string{
		"--model": &a.model, "--served-model-name": &a.servedName,
		"--host": &a.host, "--port": &a.port,
	}
	for i := 1; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			a.setModel(args[i])
			continue
		}
		name, value, joined := strings.Cut(args[i], "=")
		if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			i++
			value = args[i]
		}
		if target, ok := known[name]; ok {
			*target = value
		}
	}
	if a.model == "" {
		return a, fmt.Errorf("vllm serve: no model in %q", args)
	}
	return a, nil
}

// setModel takes the first bare word; later ones are further values of some flag.
func (a *arguments) setModel(word string) {
	if a.model == "" {
		a.model = word
	}
}

// name is what requests have to ask for.
func (a *arguments) name() string {
	if a.servedName != "" {
		return a.servedName
	}
	return a.model
}
