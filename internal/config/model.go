// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package config is the submit file: its schema, how it is composed from files and
// overrides, and every rule that can be checked without a cluster.
package config

// Config is one submit file after composition, interpolation and defaults.
type Config struct {
	Services Map[Service] `yaml:"services"`
	Compute  Map[Compute] `yaml:"compute"`
	Driver   Driver       `yaml:"driver"`
	Job      Job          `yaml:"job"`
	Otel     Otel         `yaml:"otel"`
	Hooks    Hooks        `yaml:"hooks"`

	origin   *origin // nil for a Config that was not loaded
	warnings []string
}

// Map is a YAML mapping from free names to values of one kind. It keeps the order of
// the file, because services start in that order and output must not be random.
type Map[T any] []Entry[T]

// Entry is one name of a Map with its value.
type Entry[T any] struct {
	Name  string
	Value T
}

// Get returns the value called name.
func (m Map[T]) Get(name string) (T, bool) {
	for _, e := range m {
		if e.Name == name {
			return e.Value, true
		}
	}
	var zero T
	return zero, false
}

// names are the keys of the mapping.
func (m Map[T]) names() []string {
	var names []string
	for _, e := range m {
		names = append(names, e.Name)
	}
	return names
}

// Types of service.
const (
	ServiceVLLM = "vllm" // serves a model
	ServiceRay  = "ray"  // the head of a Ray cluster
)

// Service is one server of the job. A field with the tag `type` is a key of that type of
// service only.
type Service struct {
	Type        string       `yaml:"type"`
	Container   *string      `yaml:"container"`    // nil: the step runs on the host
	Placement   string       `yaml:"placement"`    // the sole compute key when the file has none
	HealthCheck *HealthCheck `yaml:"health_check"` // nil: none, for type ray only
	Env         Map[EnvVar]  `yaml:"env"`
	Mounts      []string     `yaml:"mounts"`
	PreCommand  string       `yaml:"pre_command"` // shell statements, run before the server in its shell
	Port        int          `yaml:"port"`
	// ExtraArgs holds words of a shell command, appended to the server's.
	ExtraArgs string `yaml:"extra_args"`

	Model                string  `yaml:"model" type:"vllm"`
	ServedModelName      *string `yaml:"served_model_name" type:"vllm"`
	TensorParallelSize   int     `yaml:"tensor_parallel_size" type:"vllm"`
	PipelineParallelSize int     `yaml:"pipeline_parallel_size" type:"vllm"`
	NumberOfInstances    int     `yaml:"number_of_instances" type:"vllm"`
	TrustRemoteCode      bool    `yaml:"trust_remote_code" type:"vllm"`
	NodePool             string  `yaml:"node_pool" type:"vllm"` // empty: the whole allocation
	// UseRayServe asks upstream for a gateway in front of the instances. On one node vLLM is that.
	UseRayServe bool `yaml:"use_ray_serve" type:"vllm"`
	// DataParallelRPCPort is for instances that span nodes. It has no effect on one node.
	DataParallelRPCPort int `yaml:"data_parallel_rpc_port" type:"vllm"`
	// DistributedBackend is accepted from old files and has no effect beyond them.
	DistributedBackend *DistributedBackend `yaml:"distributed_backend" type:"vllm"`

	NodePools []string         `yaml:"node_pools" type:"ray"` // empty: the head alone
	Resources Map[Map[Number]] `yaml:"resources" type:"ray"`  // pool to custom resources of its nodes
	NumCPUs   *int             `yaml:"num_cpus" type:"ray"`   // nil: what Ray finds
	NumGPUs   *int             `yaml:"num_gpus" type:"ray"`   // nil: what Ray finds
}

// DistributedBackend is the `distributed_backend` of the first upstream schema.
type DistributedBackend struct {
	Type string `yaml:"type"` // mp
}

// ModelName is the name under which the engine serves its model.
func (s Service) ModelName() string {
	if s.ServedModelName != nil {
		return *s.ServedModelName
	}
	return s.Model
}

// HealthCheck says when a service is ready: its path answers 2xx or 3xx.
type HealthCheck struct {
	Path           string `yaml:"path"`
	Port           int    `yaml:"port"` // the service's own port when the file has none
	TimeoutSeconds int    `yaml:"timeout_seconds"`
}

// EnvSource says where the value of an environment variable comes from.
type EnvSource string

const (
	// EnvLiteral is a value written in the file: `lit:VALUE`, or no prefix at all.
	EnvLiteral EnvSource = "lit"
	// EnvHost is a variable of the submitting shell, `host:NAME`. Its value travels in
	// sbatch's environment and is written nowhere.
	EnvHost EnvSource = "host"
	// EnvRuntime is a variable that exists inside the job, `runtime:NAME`.
	EnvRuntime EnvSource = "runtime"
)

// EnvVar is the value of one key of an `env` mapping.
type EnvVar struct {
	Source EnvSource
	Value  string // the literal, or the variable's name
}

// Types of compute.
const (
	ComputeSlurm = "slurm"
	ComputeLocal = "local"
)

// Compute is where the job runs. Its key is the cluster's name.
type Compute struct {
	Type      string        `yaml:"type"`
	Account   string        `yaml:"account"`  // slurm only, required there
	Hostname  string        `yaml:"hostname"` // empty: this machine
	Walltime  string        `yaml:"walltime"` // as Slurm writes it; empty: the partition's own limit
	NodePools Map[NodePool] `yaml:"node_pools"`
	ExtraArgs Map[string]   `yaml:"extra_args"` // sbatch options; an empty value is a flag
}

// NodePool is a part of the allocation.
type NodePool struct {
	Partition     string      `yaml:"partition"`
	Nodes         int         `yaml:"nodes"`
	NtasksPerNode int         `yaml:"ntasks_per_node"`
	GPUsPerNode   *int        `yaml:"gpus_per_node"`
	ExtraArgs     Map[string] `yaml:"extra_args"`
}

// Driver is the process that runs the benchmark. Its exit code is the job's.
type Driver struct {
	Container   *string     `yaml:"container"` // nil: the step runs on the host
	GymInstall  *GymInstall `yaml:"gym_install"`
	PolicyModel string      `yaml:"policy_model"` // name of a service; empty: none
	// PolicyHost is the host in the policy model's address, as the driver sees it.
	PolicyHost string `yaml:"policy_host"`
	// PolicyModelType is the `--model-type` of `gym eval run`; empty: none.
	PolicyModelType string         `yaml:"policy_model_type"`
	Benchmarks      Map[Benchmark] `yaml:"benchmarks"`
	Env             Map[EnvVar]    `yaml:"env"`
	Mounts          []string       `yaml:"mounts"`
}

// GymInstall makes the driver install NeMo Gym from a git repository first.
type GymInstall struct {
	Repo string `yaml:"repo"`
	Ref  string `yaml:"ref"`
}

// Benchmark is one job. Prepare and Run become overrides of `gym eval prepare` and
// `gym eval run`; Command replaces the latter.
type Benchmark struct {
	Prepare []Override `yaml:"prepare"`
	Run     []Override `yaml:"run"`
	Command *string    `yaml:"command"`

	prepare, run *node // as written in the file
}

// Override is one leaf of a free-form mapping, in the order of the file: its dotted key
// and its value in the words of Hydra's override grammar, such as `a.b` and `[x,y]`.
type Override struct {
	Key   string
	Value string
}

// Job says where the job directory goes.
type Job struct {
	OutputPath string `yaml:"output_path"` // absolute
}

// Hooks are shell commands that run at the end of every job; empty: none.
type Hooks struct {
	Done   string `yaml:"done"`   // when the benchmark ended with 0
	Failed string `yaml:"failed"` // when it did not
}

// Otel configures the collector beside the job.
type Otel struct {
	Enabled                   bool    `yaml:"enabled"`
	Endpoint                  string  `yaml:"endpoint"`
	Insecure                  bool    `yaml:"insecure"`
	ServiceName               string  `yaml:"service_name"`
	TokenEnv                  string  `yaml:"token_env"`  // empty with a token file
	TokenFile                 *string `yaml:"token_file"` // on the compute node; nil: the token is in TokenEnv
	CAFile                    *string `yaml:"ca_file"`    // on the compute node; nil: the system's authorities
	Binary                    string  `yaml:"binary"`     // empty: the gym-otelcol beside this program
	Container                 *string `yaml:"container"`
	Component                 string  `yaml:"component"`
	GymTelemetry              bool    `yaml:"gym_telemetry"`   // Gym in the driver exports too
	GymSpanGroups             string  `yaml:"gym_span_groups"` // preset or groups, commas between them
	GymLogs                   bool    `yaml:"gym_logs"`
	GPUMetricsPort            *int    `yaml:"gpu_metrics_port"`  // nil: no dcgm-exporter
	NodeMetricsPort           *int    `yaml:"node_metrics_port"` // nil: no node_exporter
	ScrapeIntervalSeconds     int     `yaml:"scrape_interval_seconds"`
	HealthCheckTimeoutSeconds int     `yaml:"health_check_timeout_seconds"`
}
