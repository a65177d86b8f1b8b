// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

type prometheus struct {
	ScrapeOnShutdown         bool             `yaml:"scrape_on_shutdown"`
	DiscoveryReloadOnStartup bool             `yaml:"discovery_reload_on_startup"`
	Config                   prometheusConfig `yaml:"config"`
}

type prometheusConfig struct {
	ScrapeConfigs []scrapeConfig `yaml:"scrape_configs"`
}

type scrapeConfig struct {
	JobName        string         `yaml:"job_name"`
	ScrapeInterval string         `yaml:"scrape_interval"`
	ScrapeTimeout  string         `yaml:"scrape_timeout"`
	StaticConfigs  []staticConfig `yaml:"static_configs"`
}

type staticConfig struct {
	Targets []string     `yaml:"targets,flow"`
	Labels  scrapeLabels `yaml:"labels"`
}

// scrapeLabels of a target: job becomes the producer's service.name, gym_service a label of
// every series of an engine, as upstream has it.
type scrapeLabels struct {
	Job        text `yaml:"job"`
	GymService text `yaml:"gym_service,omitempty"`
}

// maxScrapeTimeout bounds a stop: a scrape under way and the last one may both use it up.
const maxScrapeTimeout = 5 // seconds

func newPrometheus(cfg *config.Config) prometheus {
	scrape := scrapeConfig{
		JobName:        "gym",
		ScrapeInterval: seconds(cfg.Otel.ScrapeIntervalSeconds),
		ScrapeTimeout:  seconds(min(maxScrapeTimeout, cfg.Otel.ScrapeIntervalSeconds)),
	}
	for _, s := range cfg.ModelServices() {
		scrape.add(s.Value.Port, scrapeLabels{Job: text(cfg.ScrapeName(s.Name)), GymService: text(s.Name)})
	}
	if port := cfg.Otel.GPUMetricsPort; port != nil {
		scrape.add(*port, scrapeLabels{Job: "dcgm"})
	}
	if port := cfg.Otel.NodeMetricsPort; port != nil {
		scrape.add(*port, scrapeLabels{Job: "node"})
	}
	return prometheus{
		ScrapeOnShutdown:         true,
		DiscoveryReloadOnStartup: true,
		Config:                   prometheusConfig{[]scrapeConfig{scrape}},
	}
}

func (s *scrapeConfig) add(port int, labels scrapeLabels) {
	s.StaticConfigs = append(s.StaticConfigs, staticConfig{Targets: []string{local(port)}, Labels: labels})
}

func seconds(n int) string { return fmt.Sprintf("%ds", n) }
