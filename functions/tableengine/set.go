package tableengine

import "lakeserver/functions"

// Set gives the engines.
func Set() functions.Set {
	s := functions.Set{Family: "tableengine"}
	for _, name := range []string{"Memory", "Log", "TinyLog", "StripeLog"} {
		s.Engines = append(s.Engines, memoryEngine(name))
	}
	s.Engines = append(s.Engines, nullEngine())
	s.Engines = append(s.Engines, mergingEngines()...)
	return s
}
