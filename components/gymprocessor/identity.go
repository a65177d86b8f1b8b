// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package gymprocessor // import "github.com/gym-otelcol/gym-otelcol/components/gymprocessor"

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

const identityConfigKey = "identity"

// Identity says which run the telemetry belongs to. All fields are strings so that confmap hands over the
// text of ${env:…} as it is: an untyped field would turn the job id 0123 into the number 83.
type Identity struct {
	User       string `mapstructure:"user"`
	RunID      string `mapstructure:"run_id"`
	SlurmJobID string `mapstructure:"slurm_job_id"`
	Benchmark  string `mapstructure:"benchmark"`
	Cluster    string `mapstructure:"cluster"`

	// Model is stamped only when it is given.
	Model string `mapstructure:"model,omitempty"`

	// HostName is the name of this machine unless it is given.
	HostName string `mapstructure:"host_name,omitempty"`

	modelGiven, hostNameGiven bool
}

var (
	_ confmap.Unmarshaler = (*Identity)(nil)
	_ confmap.Validator   = (*Identity)(nil)
)

// Unmarshal notes which optional keys are present, for the same reason as in Config.
func (id *Identity) Unmarshal(conf *confmap.Conf) error {
	if err := conf.Unmarshal(id); err != nil {
		return err
	}
	id.modelGiven = conf.IsSet("model")
	id.hostNameGiven = conf.IsSet("host_name")
	return nil
}

// Validate reports every blank key at once, so that one look at the log is enough to mend the file.
func (id *Identity) Validate() error {
	return errors.Join(
		requireText("user", id.User),
		requireText("run_id", id.RunID),
		requireJobID(id.SlurmJobID),
		requireText("benchmark", id.Benchmark),
		requireText("cluster", id.Cluster),
		requireTextIf(id.modelGiven, "model", id.Model),
		requireTextIf(id.hostNameGiven, "host_name", id.HostName),
	)
}

func requireText(key, value string) error {
	if isBlank(value) {
		return fmt.Errorf("%s must not be blank", key)
	}
	return nil
}

func requireTextIf(given bool, key, value string) error {
	if !given {
		return nil
	}
	return requireText(key, value)
}

func requireJobID(value string) error {
	if isBlank(value) {
		return errors.New("slurm_job_id must not be blank: SLURM_JOB_ID is empty; " +
			"start the collector inside a Slurm job or give the id here")
	}
	return nil
}

func isBlank(value string) bool {
	return strings.TrimSpace(value) == ""
}

// hostName is the configured name or the machine's own. It is part of every service.instance.id, hence no
// guess when neither is there.
func (id *Identity) hostName() (string, error) {
	if id.HostName != "" {
		return id.HostName, nil
	}
	name, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("find this machine's name (set identity::host_name): %w", err)
	}
	if isBlank(name) {
		return "", errors.New("this machine has no name: set identity::host_name")
	}
	return name, nil
}
