// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package promptextension // import "github.com/gym-otelcol/gym-otelcol/components/promptextension"

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensioncapabilities"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/grpc"
	"google.golang.org/grpc/tap"

	"github.com/gym-otelcol/gym-otelcol/components/promptextension/internal/metadata"
)

// Config of the extension: there is nothing to set.
type Config struct{}

func createDefaultConfig() component.Config { return &Config{} }

// NewFactory returns the factory of the prompt extension.
func NewFactory() extension.Factory {
	return extension.NewFactory(metadata.Type, createDefaultConfig, create, metadata.ExtensionStability)
}

func create(context.Context, extension.Settings, component.Config) (extension.Extension, error) {
	p := &prompt{}
	p.over, p.end = context.WithCancel(context.Background())
	return p, nil
}

// prompt ends what is under way in servers a moment after the collector began to stop.
type prompt struct {
	component.StartFunc
	over context.Context
	end  context.CancelFunc
}

var (
	_ extensioncapabilities.PipelineWatcher = (*prompt)(nil)
	_ extensionmiddleware.HTTPServer        = (*prompt)(nil)
	_ extensionmiddleware.GRPCServer        = (*prompt)(nil)
)

// grace is for requests that are on their way and whole.
const grace = time.Second

func (*prompt) Ready() error { return nil }

// NotReady is called before the first receiver is stopped.
func (p *prompt) NotReady() error {
	time.AfterFunc(grace, p.end)
	return nil
}

func (p *prompt) Shutdown(context.Context) error {
	p.end()
	return nil
}

// GetHTTPHandler ends the reading of requests.
func (p *prompt) GetHTTPHandler(context.Context) (extensionmiddleware.WrapHTTPHandlerFunc, error) {
	return func(_ context.Context, next http.Handler) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop := context.AfterFunc(p.over, func() {
				_ = http.NewResponseController(w).SetReadDeadline(time.Now()) // without it, it ends later
			})
			defer stop()
			next.ServeHTTP(w, r)
		}), nil
	}, nil
}

// GetGRPCServerOptions ends calls whose message has not arrived, and connections that never said a word.
func (p *prompt) GetGRPCServerOptions(context.Context) ([]grpc.ServerOption, error) {
	return []grpc.ServerOption{
		grpc.ConnectionTimeout(2 * grace),
		grpc.InTapHandle(func(ctx context.Context, _ *tap.Info) (context.Context, error) {
			call, cancel := context.WithCancel(ctx)
			stop := context.AfterFunc(p.over, cancel)
			context.AfterFunc(call, func() { stop() })
			return call, nil
		}),
	}, nil
}
