// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "slices"

// collectorPorts are fixed: OTLP over gRPC and HTTP, and the health check.
var collectorPorts = []int{4317, 4318, 13133}

// ports reports ports that two processes of the job would want.
func (v *validator) ports() {
	active := v.cfg.CollectorActive()
	taken := map[int]string{} // by which service
	for _, e := range v.cfg.Services {
		p := path("services", e.Name)
		if !v.ok(p) {
			continue
		}
		at, port := p.key("port"), e.Value.Port
		if first, ok := taken[port]; ok {
			v.addf(at, "port %d is the port of services.%s already", port, first).
				hintf("give each service a port of its own; the default is 8000")
		} else if v.ok(at) {
			taken[port] = e.Name
		}
		if active {
			v.collectorPort(at, port)
			if check := e.Value.HealthCheck; check != nil && check.Port != port {
				v.collectorPort(p.key("health_check").key("port"), check.Port)
			}
		}
	}
	if active {
		v.metricsPorts(taken)
	}
}

func (v *validator) collectorPort(p keyPath, port int) {
	if slices.Contains(collectorPorts, port) {
		v.addf(p, "port %d is a port of the collector", port).
			hintf("4317, 4318 and 13133 are taken unless otel.enabled is false")
	}
}

// metricsPorts checks the ports of the exporters that may run on a node.
func (v *validator) metricsPorts(taken map[int]string) {
	o, p := v.cfg.Otel, path("otel")
	check := func(key string, port *int) {
		if port == nil {
			return
		}
		v.collectorPort(p.key(key), *port)
		if service, ok := taken[*port]; ok {
			v.addf(p.key(key), "port %d is the port of services.%s", *port, service).
				hintf("write null to collect nothing there, or move the service")
		}
	}
	check("gpu_metrics_port", o.GPUMetricsPort)
	check("node_metrics_port", o.NodeMetricsPort)
	if o.GPUMetricsPort != nil && o.NodeMetricsPort != nil && *o.GPUMetricsPort == *o.NodeMetricsPort {
		v.addf(p.key("node_metrics_port"), "port %d is otel.gpu_metrics_port already", *o.NodeMetricsPort)
	}
}
