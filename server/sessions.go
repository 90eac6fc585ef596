package server

import (
	"sync"
	"time"

	"lakeserver/cherr"
)

// Sessions keeps sessions between HTTP requests. One request uses a session at
// a time. It is safe for concurrent use.
type Sessions struct {
	engine Engine
	now    func() time.Time

	mu sync.Mutex
	m  map[sessionKey]*kept
}

type sessionKey struct{ user, id string }

type kept struct {
	session Session
	busy    bool
	timeout time.Duration
	expires time.Time
}

// NewSessions makes an empty store; now is the clock.
func NewSessions(e Engine, now func() time.Time) *Sessions {
	return &Sessions{engine: e, now: now, m: map[sessionKey]*kept{}}
}

// Acquire gives the session of an id to one request, making it when it is not
// there and mustExist is not set; release gives it back. Errors:
// SESSION_NOT_FOUND, SESSION_IS_LOCKED.
func (s *Sessions) Acquire(user *User, id string, timeout time.Duration, mustExist bool) (Session, func(closeIt bool), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	key := sessionKey{user.Name, id}
	k := s.m[key]
	switch {
	case k == nil && mustExist:
		return nil, nil, cherr.New(cherr.SessionNotFound, "Session %s not found", id)
	case k == nil:
		k = &kept{session: s.engine.NewSession(user)}
		s.m[key] = k
	case k.busy:
		return nil, nil, cherr.New(cherr.SessionIsLocked, "Session %s is locked by a concurrent client", id)
	}
	k.busy, k.timeout = true, timeout
	return k.session, func(closeIt bool) { s.release(key, k, closeIt) }, nil
}

func (s *Sessions) release(key sessionKey, k *kept, closeIt bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.busy, k.expires = false, s.now().Add(k.timeout)
	if closeIt {
		delete(s.m, key)
		k.session.Close()
	}
}

// expire drops sessions that nobody used for their time; called with the lock.
func (s *Sessions) expire() {
	now := s.now()
	for key, k := range s.m {
		if !k.busy && now.After(k.expires) {
			delete(s.m, key)
			k.session.Close()
		}
	}
}

// Close ends all sessions that are not in use.
func (s *Sessions) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, k := range s.m {
		if !k.busy {
			delete(s.m, key)
			k.session.Close()
		}
	}
}
