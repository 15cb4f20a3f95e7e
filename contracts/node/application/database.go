package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// A line for each request, a line for each answer: LOGIN user password, then GET or PUT.
func (app *application) serveDatabase() {
	var open atomic.Int64
	limit := int64(number("MAX_CONNECTIONS"))
	app.listen(value("LISTEN", ":5432"), func(listener net.Listener) error {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return err
			}
			go func() {
				defer connection.Close()
				if now := open.Add(1); limit > 0 && now > limit {
					app.log.error("FATAL: sorry, too many clients already")
					fmt.Fprintln(connection, "FATAL: sorry, too many clients already")
				} else {
					app.converse(connection)
				}
				open.Add(-1)
			}()
		}
	})
}

func (app *application) converse(connection net.Conn) {
	reader := bufio.NewReader(connection)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			return
		}
		time.Sleep(duration("TAKES", 0))
		fmt.Fprintln(connection, app.reply(strings.Fields(line)))
	}
}

func (app *application) reply(words []string) string {
	switch {
	case len(words) == 0:
		return "ERROR: syntax error"
	case words[0] == "LOGIN":
		if len(words) < 3 || words[2] != os.Getenv("PASSWORD") {
			user := "unknown"
			if len(words) > 1 {
				user = words[1]
			}
			text := fmt.Sprintf("FATAL: password authentication failed for user %q", user)
			app.log.error(text)
			return text
		}
		if name := value("DATABASE_NAME", ""); name != "" && (len(words) < 4 || words[3] != name) {
			text := fmt.Sprintf("FATAL: database %q does not exist", words[len(words)-1])
			app.log.error(text)
			return text
		}
		return "OK"
	case words[0] == "PUT" && value("READ_ONLY", "") != "":
		app.log.error("ERROR: cannot execute INSERT in a read-only transaction")
		return "ERROR: cannot execute INSERT in a read-only transaction"
	}
	return "OK"
}

// query stores an item over a new connection, as a program without a pool does, or over those that it keeps.
func (app *application) query(address string) error {
	connection, err := net.DialTimeout("tcp", address, app.client.Timeout)
	if err != nil {
		return err
	}
	if value("LEAKS", "") == "" {
		defer connection.Close()
	}
	connection.SetDeadline(time.Now().Add(app.client.Timeout))
	reader := bufio.NewReader(connection)
	login := fmt.Sprintf("LOGIN %s %s", value("DATABASE_USER", "shop"), value("DATABASE_PASSWORD", "-"))
	if name := value("DATABASE_NAME", ""); name != "" {
		login += " " + name
	}
	for _, line := range []string{login, "PUT tea"} {
		fmt.Fprintln(connection, line)
		answer, err := reader.ReadString('\n')
		if err != nil {
			return err
		}
		if answer = strings.TrimSpace(answer); answer != "OK" {
			return fmt.Errorf("%s", answer)
		}
	}
	return nil
}
