// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboards

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
)

// backend is a real backend with Prometheus' query API.
type backend struct {
	name   string
	url    string
	ingest string // OTLP base URL
	flush  string // makes what was ingested visible to queries
}

// dropToken keeps the resource attribute Authorization, by which a routing proxy finds the
// tenant, out of the labels. In front of these backends there is no proxy that removes it.
const dropToken = "- action: labeldrop\n  regex: Authorization\n"

func victoriaMetrics(t *testing.T, name string, flags ...string) backend {
	t.Helper()
	dir := t.TempDir()
	relabel := filepath.Join(dir, "relabel.yaml")
	if err := os.WriteFile(relabel, []byte(dropToken), 0o600); err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + strconv.Itoa(proc.FreePort(t))
	args := append([]string{
		"-httpListenAddr=" + address, "-storageDataPath=" + filepath.Join(dir, "data"),
		"-search.latencyOffset=0s", "-relabelConfig=" + relabel,
	}, flags...)
	proc.Start(t, exec.Command(filepath.Join(programs, "victoria-metrics"), args...)).
		Serves(t, 30*time.Second, "http://"+address+"/health")
	base := "http://" + address
	return backend{name: name, url: base, ingest: base + "/opentelemetry", flush: base + "/internal/force_flush"}
}

func prometheus(t *testing.T, name, content string) backend {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + strconv.Itoa(proc.FreePort(t))
	proc.Start(t, exec.Command(filepath.Join(programs, "prometheus"), "--config.file="+config, "--web.listen-address="+address,
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.enable-otlp-receiver")).
		Serves(t, 30*time.Second, "http://"+address+"/-/ready")
	base := "http://" + address
	return backend{name: name, url: base, ingest: base + "/api/v1/otlp"}
}

// answer is what the API says to any question.
type answer struct {
	Status string          `json:"status"`
	Error  string          `json:"error"`
	Data   json.RawMessage `json:"data"`
}

// result is the data of a query.
type result struct {
	Result []struct {
		Metric map[string]string `json:"metric"`
		Value  sample            `json:"value"`
		Values []sample          `json:"values"`
	} `json:"result"`
}

// sample is a time and a value.
type sample [2]any

func (s sample) value() (float64, error) {
	text, _ := s[1].(string)
	return strconv.ParseFloat(text, 64)
}

func (b backend) get(path string, query url.Values, into any) error {
	response, err := http.PostForm(b.url+path, query)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return fmt.Errorf("%s: %.300s", response.Status, body)
	}
	if a.Status != "success" {
		return fmt.Errorf("%s: %s", response.Status, a.Error)
	}
	return json.Unmarshal(a.Data, into)
}

// instant asks for the values at a moment.
func (b backend) instant(expr string, at time.Time) (r result, err error) {
	err = b.get("/api/v1/query", url.Values{"query": {expr}, "time": {unix(at)}}, &r)
	return r, err
}

// over asks for values over time.
func (b backend) over(expr string, from, to time.Time, step time.Duration) (r result, err error) {
	err = b.get("/api/v1/query_range", url.Values{
		"query": {expr}, "start": {unix(from)}, "end": {unix(to)}, "step": {strconv.Itoa(int(step.Seconds()))},
	}, &r)
	return r, err
}

// values are those of a label.
func (b backend) values(of, label string, from, to time.Time) (values []string, err error) {
	response, err := http.Get(b.url + "/api/v1/label/" + label + "/values?" + url.Values{
		"match[]": {of}, "start": {unix(from)}, "end": {unix(to)},
	}.Encode())
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var a answer
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return nil, err
	}
	err = json.Unmarshal(a.Data, &values)
	return values, err
}

func unix(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
