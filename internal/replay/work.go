// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// work is the replay of one job directory.
type work struct {
	ctx     context.Context //nolint:containedctx // it ends when another writer takes the directory over
	cancel  context.CancelCauseFunc
	job     Job
	opt     Options
	report  *JobReport
	ledger  *ledger
	senders []*sender
}

func newWork(ctx context.Context, job Job, opt Options) *work {
	w := &work{job: job, opt: opt, report: &JobReport{Dir: job.Dir, Endpoint: job.Endpoint, Signals: []*SignalReport{}}}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	return w
}

// fail notes the first reason why a job does not go on.
func (w *work) fail(err error) {
	if w.report.Error == "" {
		w.report.Error = err.Error()
	}
}

// prepare takes the directory over and looks at its files.
func (w *work) prepare() {
	if w.report.Error != "" {
		return
	}
	record, err := delivery.Load(w.job.otel())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.opt.Talk("%s: %v: everything is sent again", w.job.Dir, err)
	}
	if errors.Is(err, fs.ErrNotExist) && !w.ran() {
		return // and keeps no record of a job that never ran
	}
	switch {
	case !w.opt.DryRun:
		if w.ledger, err = openLedger(w.job, w.cancel); err != nil {
			w.fail(err)
			return
		}
		record = w.ledger.file
	case err != nil:
		record = &delivery.File{}
	case !record.Ended:
		w.opt.Talk("%s: the collector did not say that it ended: there may be more to come", w.job.Dir)
	}
	for _, signal := range otlpfile.Signals {
		if slices.Contains(w.opt.Signals, signal) {
			if err := w.survey(signal, record); err != nil {
				w.fail(fmt.Errorf("%s: %w", signal.FileName(), err))
			}
		}
	}
}

// ran reports whether a collector wrote something in this directory.
func (w *work) ran() bool {
	return slices.ContainsFunc(otlpfile.Signals, func(signal otlpfile.Signal) bool {
		_, err := os.Lstat(filepath.Join(w.job.otel(), signal.FileName()))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// survey finds out what is to be sent of a signal.
func (w *work) survey(signal otlpfile.Signal, record *delivery.File) error {
	left := delivery.Signal{}
	if found := record.Signals[signal]; found != nil {
		left = *found
	}
	file, err := os.Open(filepath.Join(w.job.otel(), signal.FileName()))
	if errors.Is(err, fs.ErrNotExist) && left.Undelivered == 0 {
		return nil
	}
	report := &SignalReport{Signal: signal, Left: left.Undelivered}
	w.report.Signals = append(w.report.Signals, report)
	if err != nil {
		return err
	}
	s := &sender{opt: w.opt, dir: w.job.Dir, signal: signal, file: file, ledger: w.ledger, report: report}
	w.senders = append(w.senders, s)
	info, err := file.Stat()
	if err != nil {
		return err
	}
	from := left.Position
	if err := from.Prove(file, info.Size()); err != nil {
		w.opt.Talk("%s: delivery.json does not fit %s (%v): all of it is sent", w.job.Dir, signal.FileName(), err)
		left, from = delivery.Signal{}, delivery.Position{}
	}
	if w.opt.All {
		from = delivery.Position{Lost: left.Lost}
	}
	if s.survey, err = scan(w.ctx, file, signal, span{from.Offset, info.Size()}, func(done int64) {
		w.opt.Progress(Progress{Dir: w.job.Dir, Signal: signal, Reading: true, Done: done, Total: info.Size() - from.Offset})
	}); err != nil {
		return err
	}
	s.begin(left, from)
	return nil
}

// begin tells what was found, here and in delivery.json.
func (s *sender) begin(left delivery.Signal, from delivery.Position) {
	s.report.Lines, s.report.Bytes, s.report.Left = s.survey.lines, s.survey.bytes, s.survey.items
	s.report.SkippedLines, s.report.Skipped = s.survey.skippedLines, s.survey.skipped
	if s.ledger != nil {
		s.ledger.update(s.signal, func(counts *delivery.Signal) { *counts = reopen(left, from, s.survey.items) })
	}
}

// send works through the signals. It returns false when there is no point in going on with another job.
func (w *work) send() bool {
	if w.report.Error != "" {
		return w.ctx.Err() == nil || errors.Is(context.Cause(w.ctx), errOvertaken)
	}
	client := newClient(w.job, w.opt.Timeout)
	for i, s := range w.senders {
		s.client = client
		r := s.run(w.ctx)
		if r.class == classOK {
			continue
		}
		if cause := context.Cause(w.ctx); cause != nil {
			w.fail(w.interruption())
			return errors.Is(cause, errOvertaken)
		}
		s.stop(r)
		if r.class == classDisk || r.status == http.StatusNotFound { // of this signal alone
			continue
		}
		for _, other := range w.senders[i+1:] {
			other.leave()
		}
		return false
	}
	return true
}

func (w *work) interruption() error {
	if cause := context.Cause(w.ctx); errors.Is(cause, errOvertaken) {
		return cause
	}
	return errInterrupted
}

// stop says why a signal did not go on.
func (s *sender) stop(r result) {
	s.report.Error = r.message
	if r.class == classEndpoint {
		s.report.Error += advice(r.status)
	}
	s.note(r)
	s.ledger.update(s.signal, func(counts *delivery.Signal) {
		counts.State = map[class]string{classEndpoint: "blocked", classTransient: "retrying"}[r.class]
	})
}

func advice(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ": is the token in this shell the right one for this endpoint?"
	case http.StatusNotFound:
		return ": is the endpoint right? --endpoint names another one"
	}
	return ""
}

const notTried = "not tried after the failure before"

// leave marks what is left because of another failure.
func (s *sender) leave() {
	if s.report.Left > 0 && s.report.Error == "" {
		s.report.Error = notTried
	}
}

func (w *work) leave() {
	if w.report.Error == "" {
		for _, s := range w.senders {
			s.leave()
		}
	}
}

func (w *work) close() {
	for _, s := range w.senders {
		_ = s.file.Close() // it was only read
	}
	if w.ledger != nil {
		if err := w.ledger.close(); err != nil {
			w.fail(err)
		}
	}
	w.cancel(nil)
}
