package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // zones by name on machines without them

	"github.com/alecthomas/kong"

	"lakeserver/cherr"
	"lakeserver/engine"
)

// CLI is the command line. Flags go over the configuration file.
type CLI struct {
	Serve   ServeCmd   `cmd:"" default:"withargs" help:"Run the server."`
	Query   QueryCmd   `cmd:"" help:"Run one query in this process and print the result."`
	Version VersionCmd `cmd:"" help:"Print the version."`
}

// ServeCmd runs the server until a signal.
type ServeCmd struct {
	Config            string `help:"Configuration file (YAML)." type:"path"`
	HTTPListen        string `name:"http-listen" help:"Address of the HTTP interface."`
	NativeListen      string `name:"native-listen" help:"Address of the native protocol."`
	MySQLListen       string `name:"mysql-listen" help:"Address of the MySQL protocol; off without it (customary: 127.0.0.1:9004)."`
	RESTCatalogListen string `name:"rest-catalog-listen" help:"Address of the Iceberg REST catalog over the server's own tables; off without it."`
	DataDir           string `name:"data-dir" help:"Folder of definitions and of the server's own tables."`
	UserFilesDir      string `name:"user-files-dir" help:"Folder that table functions may read."`
	PrintConfig       bool   `name:"print-config" help:"Print the configuration and exit."`
}

// QueryCmd runs one query.
type QueryCmd struct {
	SQL          string            `arg:"" help:"The query; - reads it from standard input."`
	Format       string            `help:"Output format; a FORMAT in the query goes over it."`
	UserFilesDir string            `name:"user-files-dir" help:"Folder that relative paths start from."`
	Params       map[string]string `kong:"-"`
}

// VersionCmd prints the version.
type VersionCmd struct{}

// Run prints the version.
func (VersionCmd) Run() error {
	fmt.Printf("lakeserver %s (compatible with ClickHouse %s)\n", version, engine.Version)
	return nil
}

// version is set by release builds.
var version = "dev"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings given, and the exit code as result.
func run(args []string, stdout, stderr io.Writer) int {
	args, params := takeParams(args)
	var cli CLI
	parser, err := kong.New(&cli, kong.Name("lakeserver"), kong.Writers(stdout, stderr),
		kong.Description("A ClickHouse-compatible server over Apache Iceberg tables where they lie."))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "lakeserver: %s\n", err)
		return 1
	}
	cli.Query.Params = params
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	kctx.BindTo(ctx, (*context.Context)(nil))
	kctx.BindTo(stdout, (*io.Writer)(nil))
	if err := kctx.Run(); err != nil {
		fmt.Fprintf(stderr, "lakeserver: %s\n", describe(err))
		return 1
	}
	return 0
}

// describe gives an error as ClickHouse's tools do: with code and name.
func describe(err error) string {
	var e *cherr.Error
	if errors.As(err, &e) {
		return fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)", e.Code(), err, e.Code())
	}
	return err.Error()
}
