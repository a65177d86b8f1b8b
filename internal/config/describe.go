// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

// What each key means, in the order of the model. The JSON schema and the tables in
// docs/submit-file.md are made of it; a test wants a line for every key.

// keyDoc describes one key.
type keyDoc struct {
	key     string
	meaning string
	// fallback is the default in words, where the model does not say it.
	fallback string
	// values are the only words that the key may hold.
	values []string
}

// described is a type whose keys are described.
type described interface{ keys() []keyDoc }

func (*Config) keys() []keyDoc {
	return []keyDoc{
		{key: "services", meaning: "name → server"},
		{key: "compute", meaning: "the name of the cluster → what to ask it for; exactly one"},
		{key: "driver", meaning: "the process that runs the benchmarks"},
		{key: "job", meaning: "where the run's files go"},
		{key: "hooks", meaning: "what runs at the end of every job"},
		{key: "otel", meaning: "the collector"},
	}
}

func (*Service) keys() []keyDoc {
	return []keyDoc{
		{key: "type", meaning: "`vllm` serves a model, `ray` is the head of a Ray cluster", values: []string{ServiceVLLM, ServiceRay}},
		{key: "container", meaning: "image of the step (needs pyxis); `null` runs it on the host", fallback: "required on Slurm"},
		{key: "placement", meaning: "must be the key under `compute`", fallback: "the cluster"},
		{key: "health_check", meaning: "when the server is ready", fallback: "on `/health`; none for `ray`"},
		{key: "env", meaning: "variables of the step, see below"},
		{key: "mounts", meaning: "`src`, `src:dst` or `src:dst:flags`"},
		{key: "pre_command", meaning: "shell statements that run before it in the same shell"},
		{key: "port", meaning: "where it serves; a model server is scraped there too", fallback: "`8000`, Ray `6379`"},
		{key: "extra_args", meaning: "words of a shell command, appended to the server's"},
		{key: "model", meaning: "what `vllm serve` is given"},
		{key: "served_model_name", meaning: "the name clients ask for; also the attribute `model`", fallback: "the model"},
		{key: "tensor_parallel_size", meaning: "as vLLM means it"},
		{key: "pipeline_parallel_size", meaning: "as vLLM means it"},
		{key: "number_of_instances", meaning: "becomes `--data-parallel-size`"},
		{key: "trust_remote_code", meaning: "runs code that comes with the model"},
		{key: "node_pool", meaning: "a node pool of the cluster; the steps then find its hosts in `GYM_POOL_<POOL>_NODES`"},
		{key: "use_ray_serve", meaning: "accepted; on one node vLLM serves its instances itself, at the same port"},
		{key: "data_parallel_rpc_port", meaning: "for instances that span nodes; without effect so far"},
		{key: "distributed_backend", meaning: "accepted from old files, without effect"},
		{key: "node_pools", meaning: "the node pools that it spans"},
		{key: "resources", meaning: "node pool → custom resource → amount, for the nodes of that pool"},
		{key: "num_cpus", meaning: "CPUs that Ray may use", fallback: "what Ray finds"},
		{key: "num_gpus", meaning: "GPUs that Ray may use", fallback: "what Ray finds"},
	}
}

func (*DistributedBackend) keys() []keyDoc {
	return []keyDoc{{key: "type", meaning: "the only one there was", values: []string{"mp"}}}
}

func (*HealthCheck) keys() []keyDoc {
	return []keyDoc{
		{key: "path", meaning: "answers 2xx or 3xx when the server is ready"},
		{key: "port", meaning: "where it is asked", fallback: "the service's"},
		{key: "timeout_seconds", meaning: "how long that may take: loading a large model takes more than a minute"},
	}
}

func (*Compute) keys() []keyDoc {
	return []keyDoc{
		{
			key: "type", meaning: "`slurm`, or `local`: the same job script on this machine, without Slurm and images",
			values: []string{ComputeSlurm, ComputeLocal},
		},
		{key: "account", meaning: "Slurm's account", fallback: "required on Slurm"},
		{key: "hostname", meaning: "the login node to submit on over ssh, as ssh knows it; docs/ssh.md", fallback: "this machine"},
		{
			key:      "walltime",
			meaning:  "`MM`, `HH:MM:SS`, `D-HH` and so on. Up to two minutes of it are kept for the orderly end: the script is told to stop a minute before, and Slurm may say so a minute early",
			fallback: "the partition's",
		},
		{key: "node_pools", meaning: "name → a part of the allocation"},
		{key: "extra_args", meaning: "further options of sbatch, `{exclusive: \"\", mem: \"0\"}`; an empty value is a flag. A list in `export` gets the names of the variables of the token and of `host:` as well"},
	}
}

func (*NodePool) keys() []keyDoc {
	return []keyDoc{
		{key: "partition", meaning: "Slurm's partition"},
		{key: "nodes", meaning: "no more than one so far"},
		{key: "ntasks_per_node", meaning: "tasks that Slurm counts on a node"},
		{key: "gpus_per_node", meaning: "GPUs to ask for"},
		{key: "extra_args", meaning: "further options of sbatch, as above"},
	}
}

func (*Driver) keys() []keyDoc {
	return []keyDoc{
		{key: "container", meaning: "`null` runs it on the host; `local` always does", fallback: "`" + defaultDriverImage + "`"},
		{key: "gym_install", meaning: "NeMo Gym is cloned and installed with uv first. Without it `gym` has to be in the image"},
		{key: "policy_model", meaning: "the service under test; the driver is told its address and name"},
		{key: "policy_host", meaning: "the host in that address; `${oc.env:HEAD_NODE_IP}` is the node's own, for clients elsewhere"},
		{key: "policy_model_type", meaning: "`gym eval run --model-type`, where there is a policy model; `\"\"` passes none"},
		{key: "benchmarks", meaning: "name → benchmark; each is a job of its own, with its own services"},
		{key: "env", meaning: "variables of the driver, as for services"},
		{key: "mounts", meaning: "as for services; the benchmark's directory is always mounted"},
	}
}

func (*GymInstall) keys() []keyDoc {
	return []keyDoc{
		{key: "repo", meaning: "git repository of NeMo Gym"},
		{key: "ref", meaning: "a branch, a tag or a commit"},
	}
}

func (*Benchmark) keys() []keyDoc {
	return []keyDoc{
		{key: "prepare", meaning: "becomes `gym eval prepare +key=value …`, which runs first"},
		{key: "run", meaning: "becomes `gym eval run +key=value …`"},
		{key: "command", meaning: "shell text that replaces `gym eval run`"},
	}
}

func (*Job) keys() []keyDoc {
	return []keyDoc{{key: "output_path", meaning: "an absolute directory that login and compute nodes share"}}
}

func (*Hooks) keys() []keyDoc {
	return []keyDoc{
		{key: "done", meaning: "shell text that runs at the end of every job whose code is 0"},
		{key: "failed", meaning: "the same for every other end, also when the driver never ran"},
	}
}

func (*Otel) keys() []keyDoc {
	return []keyDoc{
		{key: "enabled", meaning: "`false` leaves no trace of a collector in the job"},
		{key: "endpoint", meaning: "OTLP/HTTP base URL of the backend, without `/v1/…`", fallback: "required when enabled"},
		{key: "insecure", meaning: "allows plain http to another machine"},
		{key: "service_name", meaning: "the `service.name` by which the backend routes", fallback: "required when enabled"},
		{key: "token_env", meaning: "variable of the submitting shell that holds the bearer token, without the word Bearer"},
		{key: "token_file", meaning: "instead of `token_env`: a file of the compute node that holds the token ([below](#a-token-that-expires))"},
		{key: "ca_file", meaning: "absolute path on the compute node: the certificates (PEM) of the site's own authority, which alone are believed then", fallback: "the system's authorities"},
		{
			key:      "binary",
			meaning:  "absolute path of `gym-otelcol` on the compute nodes, or inside `container`; `{arch}` becomes `amd64` or `arm64` on the node; symbolic links are followed when the job is submitted",
			fallback: "beside `gym-submit`",
		},
		{key: "container", meaning: "image to run the collector from; it needs a shell"},
		{key: "component", meaning: "engines appear as `<component>/<service>` in `service.name.override`"},
		{
			key:      "gym_telemetry",
			meaning:  "Gym's servers send their own traces, metrics and logs to the job's collector. `true` needs `driver.gym_install`",
			fallback: "`true` with `driver.gym_install`, else `false`",
		},
		{
			key:     "gym_span_groups",
			meaning: "which spans: `job`, `server`, `http_client`, `rollout`, `agent`, `model_call`, `verify`, `sandbox`, `concurrency`, or the presets `default`, `per_rollout`, `all`; commas between them",
		},
		{key: "gym_logs", meaning: "their logs too"},
		{key: "gpu_metrics_port", meaning: "dcgm-exporter on the node; `null` where there is none"},
		{key: "node_metrics_port", meaning: "node_exporter on the node; `null` where there is none"},
		{key: "scrape_interval_seconds", meaning: "how often metrics are scraped, 1 or more"},
		{key: "health_check_timeout_seconds", meaning: "how long the collector may take to start, 1 or more"},
	}
}
