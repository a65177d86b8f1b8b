// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"net/http/httptrace"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/gym-otelcol/gym-otelcol/internal/authority"
	"github.com/gym-otelcol/gym-otelcol/internal/replay"
	"github.com/gym-otelcol/gym-otelcol/internal/tokenfile"
)

// probeMetric is what the backend gets to see: one data point, the number 1.
const probeMetric = "gym_submit_check"

// backend sends a data point the way a job does, and then twice in a way that has to fail: as
// long as that gets a 200 too, the first 200 says nothing.
func (p *Preflight) backend(ctx context.Context) {
	token, ok := p.token()
	if !ok {
		return
	}
	if err := p.Config.CheckDestination(p.Options); err != nil {
		p.add(Finding{"endpoint", Failed, err.Error(), "set the keys"})
		return
	}
	job, err := p.destination(token)
	if err != nil {
		p.add(Finding{"endpoint", Warning, err.Error(), "check on a machine that has the file, or see that the compute nodes do"})
		return
	}
	var state *tls.ConnectionState
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(s tls.ConnectionState, err error) {
			if err == nil {
				state = &s
			}
		},
	})
	answer := p.probe(traced, job, token)
	if !p.reached(answer, state) {
		return
	}
	if !p.accepted(answer) {
		return
	}
	p.controls(ctx, job)
}

// reached says whether the endpoint is one.
func (p *Preflight) reached(a replay.Answer, state *tls.ConnectionState) bool {
	endpoint := p.Config.Otel.Endpoint
	if a.Status == 0 {
		p.add(Finding{
			"endpoint", Failed, endpoint + " cannot be reached from this machine: " + a.Message,
			"see whether otel.endpoint is right and this machine may reach it; for a certificate of your own authority, otel.ca_file names its file",
		})
		return false
	}
	says := endpoint + " answers this machine"
	switch {
	case state != nil:
		says += fmt.Sprintf(", %s, certificate of %s", tls.VersionName(state.Version), issuer(state))
		if left := time.Until(state.PeerCertificates[0].NotAfter); left < 7*24*time.Hour {
			p.add(Finding{"endpoint", Warning, fmt.Sprintf("%s, which ends in %.0f hours", says, left.Hours()), "tell the backend's owner"})
			return true
		}
	case strings.HasPrefix(endpoint, "http:"):
		says += ", without TLS"
	}
	p.add(Finding{"endpoint", OK, says, ""})
	return true
}

// issuer is who says that the server is who it says it is, and until when.
func issuer(state *tls.ConnectionState) string {
	c := state.PeerCertificates[0]
	name := c.Issuer.CommonName
	if name == "" {
		name = c.Issuer.String()
	}
	return fmt.Sprintf("%s until %s", name, c.NotAfter.UTC().Format(time.DateOnly))
}

// accepted says whether the backend took the data point.
func (p *Preflight) accepted(a replay.Answer) bool {
	source := p.Config.Otel.TokenEnv
	if file := p.Config.Otel.TokenFile; file != nil {
		source = *file
	}
	switch {
	case a.Taken && a.Rejected == 0:
		p.add(Finding{"token", OK, fmt.Sprintf("status %d: the token in %s is accepted, and a data point (%s) was taken", a.Status, source, probeMetric), ""})
		return true
	case a.Taken:
		p.add(Finding{"token", Warning, fmt.Sprintf("status %d, but the backend rejected the data point: %s", a.Status, a.Message), "ask the backend's owner what it wants"})
		return true
	case a.Status == 401 || a.Status == 403:
		p.add(Finding{"token", Failed, "the token in " + source + " is refused: " + a.Message, "take a token that is valid for " + p.Config.Otel.Endpoint})
	case a.Status == 404:
		p.add(Finding{"endpoint", Failed, "nothing takes OTLP there: " + a.Message, "otel.endpoint is the base URL, to which /v1/metrics is added: see whether a part of its path is missing"})
	default:
		p.add(Finding{"token", Failed, "the backend does not take data: " + a.Message, "see otel.endpoint, and ask the backend's owner"})
	}
	return false
}

// controls are the requests that a backend has to refuse.
func (p *Preflight) controls(ctx context.Context, job replay.Job) {
	const nothing = "so a 200 proves nothing here"
	bad := "gym-submit-check-" + rand.Text() // nobody's
	if a := p.probe(ctx, replay.Job{Endpoint: job.Endpoint, Token: bad, Authorities: job.Authorities}, bad); a.Taken && a.Rejected == 0 {
		p.add(Finding{
			"control: bad token", Warning, fmt.Sprintf("status %d for a token that does not exist, %s: an expired token would not be noticed", a.Status, nothing),
			"look for " + probeMetric + " in the backend once, with run_id gym-submit-check",
		})
	} else {
		p.add(Finding{"control: bad token", OK, "a token that does not exist is refused" + status(a), ""})
	}
	if a := p.probe(ctx, job, ""); a.Taken && a.Rejected == 0 {
		p.add(Finding{
			"control: no tenant", Warning, fmt.Sprintf("status %d for data without the tenant's attribute, %s: a proxy may drop such data without a word", a.Status, nothing),
			"look for " + probeMetric + " in the backend once, with run_id gym-submit-check; jobs always send the attribute",
		})
	} else {
		p.add(Finding{"control: no tenant", OK, "data without the tenant's attribute is refused" + status(a), ""})
	}
}

func status(a replay.Answer) string {
	if a.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (status %d)", a.Status)
}

// token takes the token from where a job does, if this machine has it.
func (p *Preflight) token() (token string, ok bool) {
	otel := p.Config.Otel
	if otel.UsesFile() {
		token, err := tokenfile.Read(*otel.TokenFile)
		if err != nil {
			p.add(Finding{"token", Warning, "on this machine " + err.Error(), "check on a machine that has the file, or see that the compute nodes do"})
		}
		return token, err == nil
	}
	if complaint := p.Config.TokenComplaint(p.Options); complaint != "" {
		p.add(Finding{"token", Failed, complaint, "export " + otel.TokenEnv + " in this shell, with the backend's token"})
		return "", false
	}
	token, _ = p.lookup(otel.TokenEnv)
	return token, true
}

// destination is where a job sends to.
func (p *Preflight) destination(token string) (replay.Job, error) {
	job := replay.Job{Endpoint: strings.TrimRight(p.Config.Otel.Endpoint, "/"), Token: token}
	file := p.Config.Otel.CAFile
	if file == nil {
		return job, nil
	}
	var err error
	if job.Authorities, err = authority.Load(*file); err != nil {
		return job, fmt.Errorf("otel.ca_file: %w", err)
	}
	return job, nil
}

// probe sends the data point to a destination and with a tenant, which is a token too.
func (p *Preflight) probe(ctx context.Context, job replay.Job, tenant string) replay.Answer {
	metrics := pmetric.NewMetrics()
	rm := metrics.ResourceMetrics().AppendEmpty()
	attributes := rm.Resource().Attributes()
	cluster, _ := p.Config.Cluster()
	for key, value := range map[string]string{
		"service.name": p.Config.Otel.ServiceName, "service.name.override": "gym-submit", "run_id": "gym-submit-check",
		"user": p.By.User, "cluster": cluster,
	} {
		attributes.PutStr(key, value)
	}
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(probeMetric)
	point := m.SetEmptyGauge().DataPoints().AppendEmpty()
	point.SetIntValue(1)
	point.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	return replay.Probe(ctx, job, tenant, metrics)
}

func (p *Preflight) lookup(name string) (string, bool) {
	if p.Options.LookupEnv == nil {
		return os.LookupEnv(name)
	}
	return p.Options.LookupEnv(name)
}
