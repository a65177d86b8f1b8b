// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package host

import "sync"

// Pool holds the machines of one call of the program, each with one connection at most.
type Pool struct {
	mu      sync.Mutex
	remotes map[string]*Remote
}

// Of is the machine of that name: this one when the name means it, else one behind ssh.
// Nothing is connected yet.
func (p *Pool) Of(name string) Host {
	if IsHere(name) {
		return Local{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remotes == nil {
		p.remotes = map[string]*Remote{}
	}
	if p.remotes[name] == nil {
		p.remotes[name] = &Remote{name: name}
	}
	return p.remotes[name]
}

// Close ends all connections.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.remotes {
		r.Close()
	}
	p.remotes = nil
}
