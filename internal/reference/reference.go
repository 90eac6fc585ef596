package reference

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
)

//go:embed child.py
var child string

// Reference is one child process; used by one goroutine at a time.
type Reference struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Answer is what ClickHouse gave: text in the asked format, or an error's code.
type Answer struct {
	Text  string `json:"text"`
	Code  int    `json:"code"`
	Error string `json:"error"`
}

// ErrAbsent says that no Python with chdb is named.
var ErrAbsent = errors.New("no reference: set CHDB_PYTHON to a Python that has chdb")

// Open starts the child.
func Open() (*Reference, error) {
	python := os.Getenv("CHDB_PYTHON")
	if python == "" {
		return nil, ErrAbsent
	}
	cmd := exec.Command(python, "-c", child)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Reference{cmd, in, bufio.NewReaderSize(out, 1<<20)}, nil
}

// Ask runs one query; queries of one child share a session.
func (r *Reference) Ask(sql, format string) (Answer, error) {
	line, err := json.Marshal(map[string]string{"sql": sql, "format": format})
	if err != nil {
		return Answer{}, err
	}
	if _, err := r.in.Write(append(line, '\n')); err != nil {
		return Answer{}, err
	}
	reply, err := r.out.ReadBytes('\n')
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	return a, json.Unmarshal(reply, &a)
}

// Close ends the child.
func (r *Reference) Close() error {
	if err := r.in.Close(); err != nil {
		return err
	}
	return r.cmd.Wait()
}
