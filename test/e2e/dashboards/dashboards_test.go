// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboards

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/engine"
	"github.com/gym-otelcol/gym-otelcol/test/internal/series"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// documented is the configuration of Prometheus that the dashboards' README gives.
func documented(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile("../../../distribution/dashboards/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, config, found := strings.Cut(string(readme), "```yaml\n# prometheus.yml\n")
	if !found {
		t.Fatal("the README of the dashboards has no prometheus.yml")
	}
	config, _, _ = strings.Cut(config, "```")
	return config
}

// asSent keeps the names as they were sent; without it they get suffixes.
const asSent = "  translation_strategy: UnderscoreEscapingWithoutSuffixes\n"

func TestEveryPanelShowsSomething(t *testing.T) {
	first := victoriaMetrics(t, "VictoriaMetrics")
	others := []backend{
		victoriaMetrics(t, "VictoriaMetrics with Prometheus naming", "-opentelemetry.usePrometheusNaming"),
		prometheus(t, "Prometheus", documented(t)),
		prometheus(t, "Prometheus with names as sent", documented(t)+asSent),
	}
	j := runJob(t, first.ingest)
	// The other backends get the same run from its files.
	for _, b := range others {
		if out, err := j.submit("replay", "--all", "--signal", "metrics", "--endpoint", b.ingest, j.dir); err != nil {
			t.Fatalf("replay to %s: %v\n%s", b.name, err, out)
		}
	}
	from, to := j.begun.Add(-30*time.Second), time.Now()
	all := append([]backend{first}, others...)
	for _, b := range all {
		t.Run(b.name, func(t *testing.T) {
			makeVisible(t, b, from, to)
			for _, name := range []string{"run.json", "runs.json"} {
				t.Run(name, func(t *testing.T) { everyQueryAnswered(t, open(t, load(t, name), b, from, to), load(t, name)) })
			}
			t.Run("the numbers are right", func(t *testing.T) {
				m := load(t, "run.json")
				numbersRight(t, open(t, m, b, from, to), m)
			})
			t.Run("the final counters are exact", func(t *testing.T) { finalCounters(t, j, b, to) })
			t.Run("the token is no label", func(t *testing.T) { tokenIsNoLabel(t, b, from, to) })
		})
	}
	t.Run("the names are documented", func(t *testing.T) { namesDocumented(t, j, others[1], from, to) })
}

func makeVisible(t *testing.T, b backend, from, to time.Time) {
	t.Helper()
	if b.flush != "" {
		response, err := http.Get(b.flush)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	wait.For(t, 20*time.Second, func() error {
		runs, err := b.values(`up{run_id!=""}`, "run_id", from, to)
		if err == nil && len(runs) != 1 {
			err = fmt.Errorf("runs %v", runs)
		}
		return err
	})
}

func everyQueryAnswered(t *testing.T, s *screen, m model) {
	asked := 0
	check := func(where, expr string, instant bool) {
		asked++
		r, err := s.ask(expr, instant)
		switch {
		case err != nil:
			t.Errorf("%s: %v\n%s", where, err, s.substitute(expr))
		case !hasNumber(r):
			t.Errorf("%s finds nothing:\n%s", where, s.substitute(expr))
		}
	}
	for _, p := range m.Panels {
		for _, p := range append(p.Panels, p) {
			for _, target := range p.Targets {
				check(p.Title+" "+target.RefID+" "+target.Legend, target.Expr, target.Instant)
			}
		}
	}
	for _, a := range m.Annotations.List {
		check("annotation "+a.Name, a.Expr, false)
	}
	if asked < 100 {
		t.Errorf("only %d queries", asked)
	}
}

// hasNumber looks for a value that a panel can show.
func hasNumber(r result) bool {
	for _, one := range r.Result {
		for _, s := range append(one.Values, one.Value) {
			if value, err := s.value(); err == nil && !math.IsNaN(value) && !math.IsInf(value, 0) {
				return true
			}
		}
	}
	return false
}

// finalCounters compares the backend's last values with the last page of the engine.
func finalCounters(t *testing.T, j job, b backend, at time.Time) {
	pages, err := engine.ReadPages(j.pages)
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	served, _, err := series.FromPage(pages[len(pages)-1].Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"prompt_tokens_total", "generation_tokens_total", "e2e_request_latency_seconds_count"} {
		want := served[series.Key("vllm:"+name, series.Labels{"engine": "0", "model_name": "tiny"})]
		r, err := b.instant(`last_over_time(vllm_`+name+`{gym_service="policy"}[10m])`, at)
		if err != nil || len(r.Result) != 1 {
			t.Fatalf("%s: %d series, %v", name, len(r.Result), err)
		}
		if got, _ := r.Result[0].Value.value(); got != want || want == 0 {
			t.Errorf("%s is %v, the last page says %v", name, got, want)
		}
	}
}

// tokenIsNoLabel holds for everything that a panel shows. target_info is Prometheus' own:
// it has every resource attribute, and there is no option against that. See
// distribution/dashboards/README.md.
func tokenIsNoLabel(t *testing.T, b backend, from, to time.Time) {
	r, err := b.over(`{run_id!="",__name__!="target_info"}`, from, to, time.Minute)
	if err != nil || len(r.Result) == 0 {
		t.Fatalf("no series (%v)", err)
	}
	for _, one := range r.Result {
		for name, value := range one.Metric {
			if strings.Contains(value, token) {
				t.Fatalf("the label %s of %s has the token", name, one.Metric["__name__"])
			}
		}
	}
}
