// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"path"
	"strings"
	"testing"
)

// promise is what the public documentation says about one of the doc- files.
type promise struct {
	file string // of the plan; of a benchmark's when it is job.sh or collector.yaml
	has  []string
	not  []string
}

var documented = map[string][]promise{
	"doc-01-quickstart": {
		{file: "job.sh", has: []string{
			"#SBATCH --job-name=gym-ifbench\n", "#SBATCH --account=my-account\n", "#SBATCH --time=01:00:00\n",
			"#SBATCH --partition=batch\n", "#SBATCH --nodes=1\n", "#SBATCH --ntasks-per-node=1\n", "#SBATCH --gpus-per-node=1\n",
			"vllm serve Qwen/Qwen2.5-0.5B-Instruct", "git clone --quiet -- https://github.com/NVIDIA-NeMo/gym ",
			"git checkout --quiet v0.7.0 --", "uv pip install -e .\n",
			"gym eval prepare", "exec gym eval run --model-type openai_model",
			"/ifbench/artifacts/rollouts.jsonl", "+require_complete=true", "+observability_enabled=true", "/ifbench/model-calls",
			"+policy_base_url=http://localhost:8000/v1", "+policy_model_name=Qwen/Qwen2.5-0.5B-Instruct", "+policy_api_key=dummy",
			"+config_paths=[benchmarks/ifbench/config.yaml]", "+split=benchmark",
			"'--container-image=python:3.12'", "await_service policy 8000 /health 1200",
		}, not: []string{"collector", "NEMO_GYM_OTEL", "OTEL_"}},
	},
	"doc-02-first-schema": {
		{file: "job.sh", has: []string{
			"#SBATCH --time=0-02:00\n", "--tensor-parallel-size 2", "--data-parallel-size 4",
			"export HF_HOME=/lustre/hf", "export VLLM_USE_V1=1", "export NOTE='lit without a colon'",
			"--container-mounts=/lustre/hf,/lustre/models:/models:ro", "+num_repeats=8", "+verbose=true", "+limit=null",
			"+agents=[simple_agent,tool_agent]", "+responses_create_params.temperature=1.0", "+responses_create_params.stop=[]",
			"export HYDRA_FULL_ERROR=1",
		}, not: []string{"--distributed-executor-backend", "NEMO_GYM_OTEL", "git clone"}},
		{file: "resolved-config.yaml", has: []string{"HF_HOME: lit:/lustre/hf", "gym_telemetry: false"}},
	},
	"doc-03-collector": {
		{file: "collector.yaml", has: []string{
			"scrape_interval: 30s", "localhost:8000", "job: gym-vllm/policy", "localhost:9400", "job: dcgm",
			"value: my-eval-service", "benchmark: gpqa", "cluster: east", "model: Qwen/Qwen3-8B", "endpoint: https://otlp.example.com",
			"Bearer ${env:OTEL_TOKEN}",
		}, not: []string{"9100"}},
		{file: "job.sh", has: []string{"gym_collector_binary=/shared/gym-otelcol", "gym_collector_health_timeout=120"}, not: []string{"NEMO_GYM_OTEL"}},
	},
	"doc-04-gym-telemetry": {
		{file: "job.sh", has: []string{
			"git clone --quiet -- https://git.example.com/gym.git", "uv pip install -e '.[telemetry]'",
			"export NEMO_GYM_OTEL_ENABLED=1", "export NEMO_GYM_OTEL_RUN_ID=" + goldenID,
			"export NEMO_GYM_OTEL_SPAN_GROUPS=per_rollout,sandbox", "export NEMO_GYM_OTEL_LOGS_ENABLED=0",
			"export OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://localhost:4317",
			"export OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "export OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317",
		}, not: []string{"http/protobuf", "4318\n"}},
	},
	"doc-05-judge-in-a-pool": {
		{file: "job.sh", has: []string{
			`export GYM_POOL_EVAL_GPU_NODES="$gym_node"`, "export CUDA_VISIBLE_DEVICES=0,1,2,3", "export CUDA_VISIBLE_DEVICES=4,5,6,7",
			"+policy_model_name=policy", "+judge_base_url=http://localhost:8100/v1", `export JUDGE_HOST="${GYM_POOL_EVAL_GPU_NODES:-}"`,
		}},
		{file: "collector.yaml", has: []string{"job: gym-vllm/policy", "job: gym-vllm/judge", "model: policy"}},
	},
	"doc-06-ray": {
		{file: "job.sh", has: []string{
			`export GYM_RAY_ADDRESS_CLUSTER="${gym_node_ip:-127.0.0.1}:6380"`,
			"policy_service_step() {", "cluster_service_step() {",
			"ray start --block --head\n", "--port 6380\n", `--node-ip-address "${GYM_RAY_ADDRESS_CLUSTER%:*}"`,
			"--num-cpus 16\n", "--num-gpus 4\n", `'--resources={"extra_gpu":8,"half a thing":0.5}'`,
			"--include-dashboard=false --disable-usage-stats",
			`export RAY_ADDRESS="${GYM_RAY_ADDRESS_CLUSTER:-}"`,
			"start_service policy", "start_service cluster 6380", "await_service policy", "await_port cluster",
		}},
		{file: "collector.yaml", has: []string{"job: gym-vllm/policy"}, not: []string{"6380", "gym-vllm/cluster"}},
	},
	"doc-07-custom-harness": {
		{file: "job.sh", has: []string{
			"unset NCCL_DEBUG", `exec "$@"`, "gym eval prepare", "+split=benchmark", "exec bash -euo pipefail -c", "python run_my_harness.py",
			"export NEMO_GYM_BENCH_DIR=/lustre/fsw/me/runs/" + goldenID + "/my-harness",
			"export NEMO_GYM_POLICY_BASE_URL=http://localhost:8000/v1", "export NEMO_GYM_POLICY_MODEL_NAME=my-org/policy-model",
			"export NEMO_GYM_POLICY_API_KEY=dummy",
		}, not: []string{"gym eval run", "--model-type", "require_complete", "NEMO_GYM_OTEL", "[telemetry]"}},
	},
	"doc-08-env-prefixes": {
		{file: "job.sh", has: []string{
			`export HF_TOKEN="${HF_TOKEN:-}"`, "export VLLM_LOGGING_LEVEL=DEBUG", `export CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-}"`,
			"export NOTE='runtime:this is text'", `export API_KEY="${API_KEY:-}"`, "export EMPTY=''",
			"--container-mounts=/lustre/datasets:/data:ro,/lustre/fsw/me/runs/",
		}},
		{file: "resolved-config.yaml", has: []string{"HF_TOKEN: host:HF_TOKEN", "NOTE: lit:runtime:this is text"}},
	},
	"doc-09-own-defaults": {
		{file: "quiet/job.sh", has: []string{
			"exec gym eval run --model-type vllm_model", "+policy_base_url=http://node1.example.com:8001/v1",
			"+output_jsonl_fpath=/lustre/results/quiet.jsonl", "+require_complete=false", "+observability_enabled=false",
		}, not: []string{"model_call_capture_dir", "rollouts.jsonl", "+require_complete=true"}},
		{file: "captured/job.sh", has: []string{"+observability_enabled=true", "+model_call_capture_dir=/lustre/captures"}, not: []string{"model-calls"}},
	},
	"doc-10-slurm-options": {
		{file: "job.sh", has: []string{
			"#SBATCH --time=2-12\n",
			`#SBATCH --comment="{\"OccupiedIdleGPUsJobReaper\": {\"exemptIdleTimeMins\": \"120\", \"reason\": \"it's an eval\"}}"`,
			"#SBATCH --exclusive\n", "#SBATCH --export=ALL,HYDRA_FULL_ERROR=1\n",
			"#SBATCH --partition=cpu_long\n", "#SBATCH --ntasks-per-node=4\n", "#SBATCH --mem=0\n", `#SBATCH --constraint="skylake&rack1"`,
			"exec gym eval run \\\n", "+policy_base_url=https://models.example.com/v1", "+policy_model_name=big-model",
		}, not: []string{"--gpus-per-node", "--model-type", "otel_collector", "start_service"}},
	},
	"doc-11-scratch-and-references": {
		{file: "job.sh", has: []string{
			"vllm serve my-org/policy-model", "--tensor-parallel-size 4", "--container-mounts=/lustre/fsw/me/data:/data",
			`export HEAD_NODE_IP="${gym_node_ip:-127.0.0.1}"`, "'+policy_base_url=http://${oc.env:HEAD_NODE_IP}:8000/v1'", "'+seed_from=${oc.env:SEED}'",
		}},
		{file: "resolved-config.yaml", has: []string{"tensor_parallel_size: 4", "gpus_per_node: 4"}, not: []string{"_eval", "TEAM"}},
	},
}

// The files written after the documentation resolve to what it says.
func TestDocumented(t *testing.T) {
	for name, promises := range documented {
		t.Run(name, func(t *testing.T) {
			plan := planOf(t, "testdata/files/"+name+".yaml")
			texts := map[string]string{}
			for _, f := range plan.Files() {
				texts[f.Path], texts[path.Base(f.Path)] = string(f.Data), string(f.Data)
			}
			for _, p := range promises {
				checkPromise(t, p, texts[p.file])
			}
		})
	}
}

func checkPromise(t *testing.T, p promise, text string) {
	t.Helper()
	for _, has := range p.has {
		if !strings.Contains(text, has) {
			t.Errorf("%s lacks %q\n%s", p.file, has, text)
		}
	}
	for _, not := range p.not {
		if strings.Contains(text, not) {
			t.Errorf("%s holds %q\n%s", p.file, not, text)
		}
	}
}
