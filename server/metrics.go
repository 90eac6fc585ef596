package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"lakeserver/engine"
)

// Metrics serves the engine's counters and state in Prometheus's form, under
// the names that ClickHouse's own endpoint uses.
func Metrics(e *engine.Engine) http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{e})
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// collector reads the counters anew at each scrape.
type collector struct{ e *engine.Engine }

// Describe says nothing in advance: the names are found at each scrape.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	send := func(name, help string, kind prometheus.ValueType, v float64) {
		out <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, nil), kind, v)
	}
	for name, v := range c.e.Events().All() {
		send("ClickHouseProfileEvents_"+name, name, prometheus.CounterValue, float64(v))
	}
	send("ClickHouseMetrics_Query", "Queries that run now", prometheus.GaugeValue, float64(len(c.e.Processes().List())))
	send("ClickHouseMetrics_MemoryTracking", "Bytes that queries and caches keep", prometheus.GaugeValue, float64(c.e.Memory().Used()))
	send("ClickHouseAsyncMetrics_Uptime", "Seconds since the start", prometheus.GaugeValue, c.e.Uptime().Seconds())
}
