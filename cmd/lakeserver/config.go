package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/goccy/go-yaml"
)

// Config is the configuration file: YAML, every key optional, unknown keys are
// errors. docs/config.md describes the keys for users.
type Config struct {
	HTTPListen          string                       `yaml:"http_listen"`
	NativeListen        string                       `yaml:"native_listen"`
	HTTPSListen         string                       `yaml:"https_listen"`
	NativeSecureListen  string                       `yaml:"native_secure_listen"`
	MySQLListen         string                       `yaml:"mysql_listen"`
	RESTCatalogListen   string                       `yaml:"rest_catalog_listen"`
	DataDir             string                       `yaml:"data_dir"`
	UserFilesDir        string                       `yaml:"user_files_dir"`
	AllowedLocalPaths   []string                     `yaml:"allowed_local_paths"`
	Users               map[string]UserConfig        `yaml:"users"`
	Profiles            map[string]map[string]string `yaml:"profiles"`
	Clusters            map[string][]ShardConfig     `yaml:"clusters"`
	TLS                 *TLSConfig                   `yaml:"tls"`
	NamedCollections    map[string]map[string]string `yaml:"named_collections"`
	DisplaySecrets      bool                         `yaml:"display_secrets_in_show_and_select"`
	RemoteURLAllowHosts *HostsConfig                 `yaml:"remote_url_allow_hosts"`
	MergeTreeAs         string                       `yaml:"mergetree_as"`
	DefaultTableEngine  string                       `yaml:"default_table_engine"`
	Caches              CachesConfig                 `yaml:"caches"`
	Limits              LimitsConfig                 `yaml:"limits"`
	Log                 LogConfig                    `yaml:"log"`

	// anyPath lets table functions read any path: the user's own process.
	anyPath bool
}

// UserConfig is one user: at most one of the password forms; none means that
// no password is asked.
type UserConfig struct {
	Password              string   `yaml:"password"`
	PasswordSHA256Hex     string   `yaml:"password_sha256_hex"`
	PasswordDoubleSHA1Hex string   `yaml:"password_double_sha1_hex"`
	PasswordBcrypt        string   `yaml:"password_bcrypt"`
	Profile               string   `yaml:"profile"`
	Networks              []string `yaml:"networks"`
	Grants                []string `yaml:"grants"`
	ReadOnly              bool     `yaml:"readonly"`
}

// ShardConfig is one shard of a cluster.
type ShardConfig struct {
	Replicas []ReplicaConfig `yaml:"replicas"`
}

// ReplicaConfig is one node. The password comes from the environment variable
// that password_env names.
type ReplicaConfig struct {
	Host        string `yaml:"host"`
	Port        uint16 `yaml:"port"`
	User        string `yaml:"user"`
	PasswordEnv string `yaml:"password_env"`
	Secure      bool   `yaml:"secure"`
	Local       bool   `yaml:"local"`
}

// TLSConfig names certificate files.
type TLSConfig struct {
	Certificate string `yaml:"certificate"`
	Key         string `yaml:"key"`
	CA          string `yaml:"ca"`
}

// HostsConfig says which hosts table functions may reach.
type HostsConfig struct {
	Host       []string `yaml:"host"`
	HostRegexp []string `yaml:"host_regexp"`
}

// CachesConfig bounds the caches, in bytes; 0 is the default.
type CachesConfig struct {
	MetadataBytes int64 `yaml:"metadata_bytes"`
	PageBytes     int64 `yaml:"page_bytes"`

	// Disk are caches of ranges of far files, by name.
	Disk map[string]DiskCacheConfig `yaml:"disk"`
}

// DiskCacheConfig is one cache; the path is below the data folder unless it is
// absolute.
type DiskCacheConfig struct {
	Path     string `yaml:"path"`
	MaxBytes int64  `yaml:"max_bytes"`
}

// LimitsConfig bounds the server; 0 is the default.
type LimitsConfig struct {
	MemoryBytes    int64 `yaml:"memory_bytes"`
	MaxConnections int   `yaml:"max_connections"`
	MaxQueries     int   `yaml:"max_queries"`
}

// LogConfig says what is logged to standard error.
type LogConfig struct {
	Level  string `yaml:"level"`  // debug, info, warn, error
	Format string `yaml:"format"` // text or json
}

func defaultConfig() Config {
	return Config{
		HTTPListen: "127.0.0.1:8123", NativeListen: "127.0.0.1:9000", DataDir: "data", DefaultTableEngine: "Iceberg",
		Log: LogConfig{Level: "info", Format: "text"},
	}
}

// loadConfig reads a file over the defaults; path "" is the defaults alone.
func loadConfig(path string) (Config, error) {
	c := defaultConfig()
	if path == "" {
		return c, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return c, fmt.Errorf("cannot read the configuration: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return c, nil
	}
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil {
		return c, fmt.Errorf("%s: %s", path, configError(err))
	}
	return c, c.check()
}

// configError is one line: the place and what is wrong there.
func configError(err error) string {
	var y yaml.Error
	if errors.As(err, &y) {
		if t := y.GetToken(); t != nil {
			return fmt.Sprintf("line %d: %s", t.Position.Line, y.GetMessage())
		}
		return y.GetMessage()
	}
	return err.Error()
}

func (c *Config) check() error {
	switch c.MergeTreeAs {
	case "", "memory", "iceberg":
	default:
		return fmt.Errorf("mergetree_as: %q is not known; it may be memory or iceberg", c.MergeTreeAs)
	}
	if (c.HTTPSListen != "" || c.NativeSecureListen != "") && c.TLS == nil {
		return errors.New("https_listen and native_secure_listen need tls")
	}
	for name, u := range c.Users {
		if _, err := authOf(u); err != nil {
			return fmt.Errorf("users.%s: %w", name, err)
		}
		if u.Profile != "" && c.Profiles[u.Profile] == nil {
			return fmt.Errorf("users.%s: profile %q is not defined", name, u.Profile)
		}
	}
	return nil
}
