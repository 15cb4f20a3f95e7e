package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// journal writes lines as programs of one language do: how they date them, and how they print an error with its causes.
type journal struct {
	style string
	name  string
}

func newJournal(style, name string) *journal {
	return &journal{style: style, name: name}
}

func (j *journal) info(text string)  { j.line("INFO", text) }
func (j *journal) warn(text string)  { j.line("WARN", text) }
func (j *journal) error(text string) { j.line("ERROR", text) }

func (j *journal) line(level, text string) {
	now := time.Now().UTC()
	switch j.style {
	case "java":
		short := "shop." + j.name + ".Application"
		fmt.Printf("%s %5s 1 --- [main] %-40s : %s\n", now.Format("2006-01-02 15:04:05.000"), level, short, text)
	case "python":
		names := map[string]string{"WARN": "WARNING"}
		if name, ok := names[level]; ok {
			level = name
		}
		fmt.Printf("%s - %s - %s - %s\n", now.Format("2006-01-02 15:04:05,000"), j.name, level, text)
	case "node":
		levels := map[string]int{"INFO": 30, "WARN": 40, "ERROR": 50}
		line, _ := json.Marshal(map[string]any{
			"level": levels[level], "time": now.UnixMilli(), "pid": 1, "hostname": j.name, "msg": text,
		})
		fmt.Println(string(line))
	case "dotnet":
		names := map[string]string{"INFO": "info", "WARN": "warn", "ERROR": "fail"}
		fmt.Printf("%s: Shop.%s.Worker[0]\n      %s\n", names[level], title(j.name), text)
	default:
		fmt.Fprintf(os.Stderr, "%s %s %s\n", now.Format("2006/01/02 15:04:05"), level, text)
	}
}

func title(name string) string {
	return strings.ToUpper(name[:1]) + name[1:]
}

// cause is what a language calls an error of the operating system, and what it says.
type cause struct{ class, text string }

// words finds the names that each language has for one error.
func (j *journal) words(err error) cause {
	classes := map[string][]string{}
	text := err.Error()
	var name *net.DNSError
	var refused *net.OpError
	switch {
	case errors.As(err, &name):
		classes = map[string][]string{
			"java":   {"java.net.UnknownHostException", name.Name},
			"python": {"socket.gaierror", "[Errno -2] Name or service not known: " + name.Name},
			"node":   {"Error", "getaddrinfo ENOTFOUND " + name.Name},
			"dotnet": {"System.Net.Sockets.SocketException (00000001, 11)", "Name or service not known (" + name.Name + ")"},
		}
	case errors.Is(err, syscall.ECONNREFUSED):
		address := ""
		if errors.As(err, &refused) && refused.Addr != nil {
			address = refused.Addr.String()
		}
		classes = map[string][]string{
			"java":   {"java.net.ConnectException", "Connection refused"},
			"python": {"ConnectionRefusedError", "[Errno 111] Connection refused"},
			"node":   {"Error", "connect ECONNREFUSED " + address},
			"dotnet": {"System.Net.Sockets.SocketException (111)", "Connection refused"},
		}
	case isTimeout(err):
		classes = map[string][]string{
			"java":   {"java.net.SocketTimeoutException", "Read timed out"},
			"python": {"TimeoutError", "timed out"},
			"node":   {"Error", "connect ETIMEDOUT"},
			"dotnet": {"System.TimeoutException", "The operation was canceled."},
		}
	case errors.Is(err, fs.ErrPermission):
		path := pathOf(err)
		classes = map[string][]string{
			"java":   {"java.nio.file.AccessDeniedException", path},
			"python": {"PermissionError", "[Errno 13] Permission denied: '" + path + "'"},
			"node":   {"Error", "EACCES: permission denied, open '" + path + "'"},
			"dotnet": {"System.UnauthorizedAccessException", "Access to the path '" + path + "' is denied."},
		}
	case errors.Is(err, fs.ErrNotExist):
		path := pathOf(err)
		classes = map[string][]string{
			"java":   {"java.nio.file.NoSuchFileException", path},
			"python": {"FileNotFoundError", "[Errno 2] No such file or directory: '" + path + "'"},
			"node":   {"Error", "ENOENT: no such file or directory, open '" + path + "'"},
			"dotnet": {"System.IO.FileNotFoundException", "Could not find file '" + path + "'."},
		}
	case errors.Is(err, syscall.ENOSPC):
		classes = map[string][]string{
			"java":   {"java.io.IOException", "No space left on device"},
			"python": {"OSError", "[Errno 28] No space left on device: '" + pathOf(err) + "'"},
			"node":   {"Error", "ENOSPC: no space left on device, write"},
			"dotnet": {"System.IO.IOException", "No space left on device : '" + pathOf(err) + "'"},
		}
	case errors.Is(err, syscall.EADDRINUSE):
		classes = map[string][]string{
			"java":   {"java.net.BindException", "Address already in use"},
			"python": {"OSError", "[Errno 98] Address already in use"},
			"node":   {"Error", "listen EADDRINUSE: address already in use " + value("LISTEN", ":8080")},
			"dotnet": {"System.Net.Sockets.SocketException (98)", "Address already in use"},
		}
	default:
		classes = map[string][]string{
			"java": {"java.lang.IllegalStateException", text}, "python": {"RuntimeError", text},
			"node": {"Error", text}, "dotnet": {"System.InvalidOperationException", text},
		}
	}
	if found, ok := classes[j.style]; ok {
		return cause{found[0], found[1]}
	}
	return cause{"", text}
}

func isTimeout(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

func pathOf(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Path
	}
	return ""
}

// fail logs an error that the program survives.
func (j *journal) fail(where, message string, err error) {
	found := j.words(err)
	switch j.style {
	case "java":
		j.line("ERROR", message)
		fmt.Printf("shop.%s.ServiceException: %s\n", where, message)
		fmt.Printf("\tat shop.%s.Client.execute(Client.java:87)\n\tat shop.%s.Worker.run(Worker.java:41)\n", where, where)
		fmt.Printf("\tat java.base/java.lang.Thread.run(Thread.java:1583)\n")
		fmt.Printf("Caused by: %s: %s\n\tat java.base/sun.nio.ch.Net.connect0(Native Method)\n\t... 12 more\n", found.class, found.text)
	case "python":
		j.line("ERROR", message)
		fmt.Printf("Traceback (most recent call last):\n  File \"/app/%s.py\", line 42, in call\n    return self.session.get(address)\n", where)
		fmt.Printf("%s: %s\n", found.class, found.text)
	case "node":
		line, _ := json.Marshal(map[string]any{
			"level": 50, "time": time.Now().UnixMilli(), "pid": 1, "hostname": j.name, "msg": message,
			"err": map[string]string{"type": found.class, "message": found.text, "stack": found.class + ": " + found.text + "\n    at " + where + " (/app/" + where + ".js:87:15)"},
		})
		fmt.Println(string(line))
	case "dotnet":
		j.line("ERROR", message)
		fmt.Printf("      System.Net.Http.HttpRequestException: %s\n       ---> %s: %s\n", message, found.class, found.text)
		fmt.Printf("         at Shop.%s.Client.SendAsync(CancellationToken cancellationToken)\n         --- End of inner exception stack trace ---\n", title(where))
	default:
		j.line("ERROR", message+": "+found.text)
	}
}

// crash logs an error as that of a program that nobody caught it in, and ends it as such a program ends.
func (j *journal) crash(where string, err error) {
	found := j.words(err)
	switch j.style {
	case "java":
		fmt.Fprintf(os.Stderr, "Exception in thread \"main\" shop.%s.StartupException: Failed to start component '%s'\n", where, where)
		fmt.Fprintf(os.Stderr, "\tat shop.%s.Component.start(Component.java:112)\n\tat shop.Application.main(Application.java:23)\n", where)
		fmt.Fprintf(os.Stderr, "Caused by: %s: %s\n\tat shop.%s.Loader.load(Loader.java:64)\n\t... 8 more\n", found.class, found.text, where)
	case "python":
		fmt.Fprintf(os.Stderr, "Traceback (most recent call last):\n  File \"/app/main.py\", line 12, in <module>\n    main()\n")
		fmt.Fprintf(os.Stderr, "  File \"/app/%s.py\", line 58, in load\n    raise error\n%s: %s\n", where, found.class, found.text)
	case "node":
		fmt.Fprintf(os.Stderr, "/app/%s.js:58\n    throw error;\n    ^\n\n%s: %s\n", where, found.class, found.text)
		fmt.Fprintf(os.Stderr, "    at load (/app/%s.js:58:11)\n    at Object.<anonymous> (/app/main.js:12:3)\n\nNode.js v22.14.0\n", where)
	case "dotnet":
		fmt.Fprintf(os.Stderr, "Unhandled exception. %s: %s\n   at Shop.%s.Load() in /src/%s.cs:line 58\n   at Program.<Main>$(String[] args) in /src/Program.cs:line 12\n", found.class, found.text, title(where), title(where))
		os.Exit(134)
	default:
		fmt.Fprintf(os.Stderr, "%s FATAL %s: %s\n", time.Now().UTC().Format("2006/01/02 15:04:05"), where, found.text)
	}
	os.Exit(1)
}
