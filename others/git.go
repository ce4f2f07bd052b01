// A git.exe for Windows programs under Wine: the Git of the Linux side does the work.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	self, err := os.Executable()
	check(err)
	address, err := os.ReadFile(filepath.Join(filepath.Dir(self), "address"))
	check(err)
	connection, err := net.Dial("tcp", strings.TrimSpace(string(address)))
	check(err)
	check(json.NewEncoder(connection).Encode(os.Args[1:]))
	var answer struct {
		Code           int
		Stdout, Stderr []byte
	}
	check(json.NewDecoder(connection).Decode(&answer))
	os.Stdout.Write(answer.Stdout)
	os.Stderr.Write(answer.Stderr)
	os.Exit(answer.Code)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "git.exe:", err)
		os.Exit(125)
	}
}
