// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
)

func newSchemaCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of submit files, for editors",
		Long: `Prints the JSON Schema (draft 7) of submit files. Editors with the YAML language server then
complete and check the keys of a file that names the schema in its first line:

  # yaml-language-server: $schema=submit-file.schema.json`,
		Example: `  gym-submit schema > submit-file.schema.json`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := config.JSONSchema()
			if err != nil {
				return err
			}
			_, err = e.stdout.Write(schema)
			return err
		},
	}
}
