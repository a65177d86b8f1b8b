// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package dashboard

const (
	gpuPower  = "DCGM_FI_DEV_POWER_USAGE"
	gpuEnergy = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION" // mJ
	gpuUsed   = "DCGM_FI_DEV_FB_USED"                  // MiB
)

const mebibyte = "1048576"

func gpus() section {
	by := scope{"benchmark", "gpu"}
	var s scope
	gauge := func(title, about, unit, name, factor string) panel {
		return panel{title: title, about: about, unit: unit, queries: []query{{expr: by.max(job(name)) + factor, legend: by.legend("GPU")}}}
	}
	// These fields are bytes a second already. dcgm-exporter calls them gauges, lists of sites
	// sometimes counters.
	traffic := func(bus string) string {
		sent, received := counter("DCGM_FI_PROF_"+bus+"_TX_BYTES"), counter("DCGM_FI_PROF_"+bus+"_RX_BYTES")
		return by.sum(sent) + " + " + by.sum(received)
	}
	profiled := func(title, about, name string) panel {
		p := gauge(title, about, "percentunit", name, "")
		p.full = true
		return p
	}
	return section{title: "GPU (all GPUs of the node, as dcgm-exporter sees them)", panels: []panel{
		gauge("GPU activity", "Share of the time in which some kernel ran. 100 % does not mean that the GPU is well used: see SM and tensor activity. 0 while requests wait: the engine hangs, or its CPU side is the limit.", "percent", gpuActivity, ""),
		gauge("GPU memory used", "Flat after the start: vLLM takes its share (gpu_memory_utilization) at once.", "bytes", gpuUsed, " * "+mebibyte),
		gauge("GPU power", "Power draw. Far below the limit under load: the GPU waits for something.", "watt", gpuPower, ""),
		{title: "Joules per output token", unit: "joule", about: "Power of all GPUs of the node, divided by the generated tokens a second. Prefill is in it: compare runs of the same benchmark only.", queries: []query{
			{expr: s.sum(job(gpuPower)) + " / (" + s.sum(rate(engine(generated), around)) + " > 0)", legend: "J/token"},
		}},
		{title: "Energy", view: total, width: 6, height: 8, unit: "joule", about: "Of all GPUs of the node, over all that is shown, from the GPUs' own counters.", queries: one(s.sum(increase(counter(gpuEnergy))) + " / 1000")},
		{title: "Joules per output token, over all", view: total, width: 6, height: 8, unit: "joule", about: "Energy over the generated tokens, over all that is shown. Loading the model is in it when it is shown.", queries: one(s.sum(increase(counter(gpuEnergy))) + " / 1000 / (" + s.sum(increase(engine(generated))) + " > 0)")},
		profiled("SM activity", "Share of the SMs' cycles with work on them. Only when dcgm-exporter collects profiling fields.", "DCGM_FI_PROF_SM_ACTIVE"),
		profiled("Tensor activity", "Share of the cycles in which tensor cores worked. Low in decode, high in prefill. Only with profiling fields.", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"),
		profiled("Memory activity", "Share of the cycles in which the memory was read or written. Decode is bound by it. Only with profiling fields.", "DCGM_FI_PROF_DRAM_ACTIVE"),
		gauge("GPU temperature", "Falling clocks at a high temperature: throttling.", "celsius", "DCGM_FI_DEV_GPU_TEMP", ""),
		gauge("SM clock", "Falls when the GPU throttles, and when it idles.", "hertz", "DCGM_FI_DEV_SM_CLOCK", " * 1e6"),
		gauge("XID errors", "Number of the last XID error; 0 is none. NVIDIA documents what each means; 48, 63, 79, 94, 95: give the node back.", "short", "DCGM_FI_DEV_XID_ERRORS", ""),
		{title: "NVLink and PCIe", unit: "Bps", about: "Traffic by GPU, sent and received. Only with profiling fields. NVLink grows with tensor parallelism.", queries: []query{
			{expr: traffic("NVLINK"), legend: by.legend("NVLink GPU")},
			{expr: traffic("PCIE"), legend: by.legend("PCIe GPU")},
		}},
	}}
}

func nodes() section {
	by := scope{"benchmark"}
	return section{title: "Node (node_exporter)", collapsed: true, panels: []panel{
		{title: "CPU by mode", view: stack, unit: "percentunit", full: true, about: "Share of all CPUs of the node. The driver and the engines' Python run here: near 1 the client is the limit and latencies measure the node.", queries: []query{
			{expr: by.with("mode").mean(rate(job("node_cpu_seconds_total", `mode!="idle"`), around)), legend: by.with("mode").legend("")},
		}},
		{title: "Load", unit: "short", about: "Runnable and blocked tasks; above the number of CPUs they queue.", queries: []query{
			{expr: by.max(job("node_load1")), legend: by.legend("load1")},
			{expr: by.count(job("node_cpu_seconds_total", `mode="idle"`)), legend: by.legend("CPUs")},
		}},
		{title: "Memory", unit: "bytes", about: "In use and there. Full: the kernel kills the largest process, often the engine.", queries: []query{
			{expr: by.max(job("node_memory_MemTotal_bytes") + " - " + job("node_memory_MemAvailable_bytes")), legend: by.legend("used")},
			{expr: by.max(job("node_memory_MemTotal_bytes")), legend: by.legend("total")},
		}},
		{title: "Network", unit: "Bps", about: "All devices but the loopback. The driver's calls to tools and judges on other machines.", queries: []query{
			{expr: by.with("device").sum(rate(job("node_network_receive_bytes_total", notLoopback), around)), legend: by.with("device").legend("receive")},
			{expr: by.with("device").sum(rate(job("node_network_transmit_bytes_total", notLoopback), around)), legend: by.with("device").legend("transmit")},
		}},
		{title: "InfiniBand", unit: "Bps", about: "Where the node has it: model loading from a parallel file system, transfers between engines.", queries: []query{
			{expr: by.with("device").sum(rate(job("node_infiniband_port_data_received_bytes_total"), around)), legend: by.with("device").legend("receive")},
			{expr: by.with("device").sum(rate(job("node_infiniband_port_data_transmitted_bytes_total"), around)), legend: by.with("device").legend("transmit")},
		}},
		{title: "Disk", unit: "Bps", about: "Bytes a second from and to local disks.", queries: []query{
			{expr: by.with("device").sum(rate(job("node_disk_read_bytes_total"), around)), legend: by.with("device").legend("read")},
			{expr: by.with("device").sum(rate(job("node_disk_written_bytes_total"), around)), legend: by.with("device").legend("written")},
		}},
		{title: "Free disk space", unit: "bytes", about: "Smallest first: a full /tmp stops engines and drivers.", queries: []query{
			{expr: by.with("mountpoint").min(job("node_filesystem_avail_bytes")), legend: by.with("mountpoint").legend("")},
		}},
		{title: "Pressure", unit: "percentunit", about: "Share of the time in which something waited for CPU, memory or disk.", queries: []query{
			{expr: by.max(rate(job("node_pressure_cpu_waiting_seconds_total"), around)), legend: by.legend("CPU")},
			{expr: by.max(rate(job("node_pressure_memory_waiting_seconds_total"), around)), legend: by.legend("memory")},
			{expr: by.max(rate(job("node_pressure_io_waiting_seconds_total"), around)), legend: by.legend("disk")},
		}},
	}}
}

const notLoopback = `device!~"lo|veth.*|docker.*"`
