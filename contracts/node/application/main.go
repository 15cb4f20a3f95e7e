// One program that is each part of a small shop on a real node: `serve` answers and calls others, `database` keeps
// items for it. It logs as programs of five languages do and exports metrics. What it needs and what it does comes from
// its environment, as with programs of others; nothing here knows of a fault.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

type application struct {
	name     string
	log      *journal
	client   http.Client
	requests atomic.Int64
	failures atomic.Int64
	reached  atomic.Bool
	seconds  atomic.Int64 // of all requests, in microseconds
}

func main() {
	name := value("NAME", "application")
	app := &application{name: name, log: newJournal(value("STYLE", "go"), name)}
	app.client.Timeout = duration("TIMEOUT", 2*time.Second)
	app.require()
	time.Sleep(duration("STARTS_AFTER", 0))
	go app.work()
	if value("MODE", "serve") == "database" {
		app.serveDatabase()
		return
	}
	app.reached.Store(value("CALLS", "") == "" && value("DATABASE", "") == "")
	app.serve()
}

func value(name, fallback string) string {
	if given := os.Getenv(name); given != "" {
		return given
	}
	return fallback
}

func duration(name string, fallback time.Duration) time.Duration {
	if given, err := time.ParseDuration(os.Getenv(name)); err == nil {
		return given
	}
	return fallback
}

func number(name string) int {
	given, _ := strconv.Atoi(os.Getenv(name))
	return given
}

// require ends the program if a setting or a file that it cannot do without is not there.
func (app *application) require() {
	for _, name := range fields("REQUIRES_ENV") {
		if os.Getenv(name) == "" {
			app.log.crash("configuration", fmt.Errorf("environment variable %s is not set", name))
		}
	}
	for _, name := range fields("REQUIRES_NUMBER") {
		if _, err := strconv.Atoi(os.Getenv(name)); err != nil {
			app.log.crash("configuration", fmt.Errorf("invalid value for %s: %w", name, err))
		}
	}
	for _, path := range fields("REQUIRES_FILE") {
		text, err := os.ReadFile(path)
		if err != nil {
			app.log.crash("configuration", err)
		}
		for _, key := range fields("REQUIRES_KEYS") {
			if !strings.Contains("\n"+string(text), "\n"+key+"=") {
				app.log.crash("configuration", fmt.Errorf("%s: key %q is missing", path, key))
			}
		}
	}
}

func fields(name string) []string {
	return strings.FieldsFunc(os.Getenv(name), func(r rune) bool { return r == ',' })
}

// work is what it does beside answering.
func (app *application) work() {
	if limit := number("FILES"); limit > 0 {
		go app.openFiles(limit)
	}
	for range number("BURNS") {
		go func() {
			for {
			}
		}()
	}
	if after := duration("EXITS_AFTER", 0); after > 0 {
		go func() {
			time.Sleep(after)
			if message := value("EXITS_WITH", ""); message != "" {
				app.log.crash("worker", errors.New(message))
			}
			os.Exit(number("EXIT_CODE"))
		}()
	}
	var kept [][]byte
	written := 0
	for {
		if size := number("ALLOCATES"); size > 0 {
			block := make([]byte, size<<20)
			for at := 0; at < len(block); at += 4096 {
				block[at] = 1
			}
			kept = append(kept, block)
			app.log.info(fmt.Sprintf("cache holds %d entries", len(kept)*1000))
		}
		if path := value("WRITES", ""); path != "" {
			written += app.write(path)
		}
		app.call()
		time.Sleep(duration("EVERY", time.Second))
	}
}

func (app *application) write(path string) int {
	size := max(number("WRITE_SIZE"), 1)
	os.MkdirAll(filepath.Dir(path), 0o755)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = file.Write(make([]byte, size<<10))
		if closing := file.Close(); err == nil {
			err = closing
		}
	}
	if err == nil {
		return size
	}
	if value("WRITE_FAILURE", "crash") == "crash" {
		app.log.crash("storage", err)
	}
	app.log.fail("storage", "cannot store the order", err)
	return 0
}

func (app *application) openFiles(limit int) {
	for range limit {
		if _, err := os.Open("/proc/self/status"); err != nil {
			app.log.crash("storage", err)
		}
	}
}

// call asks those it depends on, and tells in its log what came of it.
func (app *application) call() {
	began := time.Now()
	if address := value("CALLS", ""); address != "" {
		app.told(began, "call to "+address+" failed", app.get(address))
	}
	if path := value("READS", ""); path != "" {
		err := app.readCluster(path)
		if err != nil && value("READ_FAILURE", "log") == "crash" {
			app.log.crash("cluster", err)
		}
		app.told(began, "reading the cluster failed", err)
	}
	if address := value("DATABASE", ""); address != "" {
		err := app.query(address)
		if err != nil && value("DATABASE_FAILURE", "log") == "crash" {
			app.log.crash("database", fmt.Errorf("cannot connect to database %s: %w", address, err))
		}
		app.told(began, "query to database "+address+" failed", err)
	}
}

func (app *application) told(began time.Time, message string, err error) {
	took := time.Since(began)
	app.requests.Add(1)
	app.seconds.Add(took.Microseconds())
	app.reached.Store(err == nil)
	if err != nil {
		app.failures.Add(1)
		app.log.fail("client", message, err)
	} else if took > time.Second {
		app.log.warn(fmt.Sprintf("slow response: %d ms", took.Milliseconds()))
	}
}

func (app *application) get(address string) error {
	response, err := app.client.Get(address)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s: %s %s", address, response.Status, strings.TrimSpace(string(text)))
	}
	return nil
}

func (app *application) serve() {
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(duration("HEALTH_TAKES", 0))
		fmt.Fprintln(w, "ok")
	})
	http.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if value("READY_NEEDS", "") == "callee" && !app.reached.Load() {
			http.Error(w, "dependency is not reachable", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	http.HandleFunc("/metrics", app.metrics)
	http.HandleFunc("/items", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(duration("TAKES", 0))
		if !app.reached.Load() {
			http.Error(w, "items are not available", http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, `{"items":["tea","coffee"]}`)
	})
	app.listen(value("LISTEN", ":8080"), func(listener net.Listener) error {
		if certificate := value("TLS_CERTIFICATE", ""); certificate != "" {
			return http.ServeTLS(listener, nil, certificate, value("TLS_KEY", ""))
		}
		return http.Serve(listener, nil)
	})
}

func (app *application) listen(address string, serve func(net.Listener) error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		app.log.crash("server", err)
	}
	app.log.info("started, listens on " + address)
	if err := serve(listener); err != nil {
		app.log.crash("server", err)
	}
}

func (app *application) metrics(w http.ResponseWriter, _ *http.Request) {
	seconds := float64(app.seconds.Load()) / 1e6
	fmt.Fprintf(w, "# TYPE client_requests_total counter\nclient_requests_total %d\n", app.requests.Load())
	fmt.Fprintf(w, "# TYPE client_failures_total counter\nclient_failures_total %d\n", app.failures.Load())
	fmt.Fprintf(w, "# TYPE client_seconds_total counter\nclient_seconds_total %g\n", seconds)
}
