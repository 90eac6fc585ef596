package access

import (
	"fmt"
	"sync"
	"time"

	"lakeserver/cherr"
)

// usage counts what was done under quotas. It is not kept over a restart.
type usage struct {
	mu   sync.Mutex
	used map[usageKey]*counter
}

type usageKey struct {
	quota, key string
	interval   time.Duration
}

type counter struct {
	end time.Time
	n   map[string]float64
}

// Spend adds to what a session's user has used of his quotas and refuses what
// is beyond: QUOTA_EXCEEDED. address is where he came from.
func (s *Session) Spend(now time.Time, address string, amounts map[string]float64) error {
	quotas := s.Effective().quotas
	if len(quotas) == 0 {
		return nil
	}
	u := &s.store.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.used == nil {
		u.used = map[usageKey]*counter{}
	}
	for _, q := range quotas {
		for _, i := range q.Intervals {
			k := usageKey{q.Name, s.quotaKey(q, address), i.Length}
			c := u.used[k]
			if c == nil || !now.Before(c.end) {
				c = &counter{end: now.Truncate(i.Length).Add(i.Length), n: map[string]float64{}}
				u.used[k] = c
			}
			for name, v := range amounts {
				c.n[name] += v
			}
			for name := range amounts {
				if most, ok := i.Max[name]; ok && c.n[name] > most {
					return cherr.New(cherr.QuotaExceeded, "Quota for user `%s` for %ds has been exceeded: %s = %s/%s. Interval will end at %s. Name of quota template: `%s`",
						s.user, int(i.Length.Seconds()), name, number(c.n[name]), number(most), c.end.UTC().Format(time.DateTime), q.Name)
				}
			}
		}
	}
	return nil
}

func number(v float64) string { return fmt.Sprintf("%.10g", v) }

// quotaKey is whom a quota counts together.
func (s *Session) quotaKey(q *Quota, address string) string {
	key := ""
	for _, k := range q.Keys {
		switch k {
		case "user_name":
			key += s.user + "\x00"
		case "ip_address", "forwarded_ip_address":
			key += address + "\x00"
		}
	}
	return key
}

// Use is what was used of a quota in its current interval.
type Use struct {
	Quota, Key string
	Length     time.Duration
	End        time.Time
	Used       map[string]float64
}

// Usage gives what is used of all quotas at a time.
func (s *Store) Usage(now time.Time) []Use {
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	var out []Use
	for k, c := range s.usage.used {
		if now.Before(c.end) {
			used := map[string]float64{}
			for name, v := range c.n {
				used[name] = v
			}
			out = append(out, Use{k.quota, k.key, k.interval, c.end, used})
		}
	}
	return out
}
