package main

import "strings"

// takeParams takes --param_x v and --param_x=v out of the arguments: their
// names are the user's, so the flag parser cannot know them.
func takeParams(args []string) (rest []string, params map[string]string) {
	params = map[string]string{}
	for i := 0; i < len(args); i++ {
		name, ok := strings.CutPrefix(args[i], "--param_")
		if !ok {
			rest = append(rest, args[i])
			continue
		}
		if n, v, ok := strings.Cut(name, "="); ok {
			params[n] = v
		} else if i+1 < len(args) {
			i++
			params[name] = args[i]
		} else {
			rest = append(rest, args[i])
		}
	}
	return rest, params
}
